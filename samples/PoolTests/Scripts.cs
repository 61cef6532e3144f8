using Poolhouse.Testing;

namespace Poolhouse.Samples.PoolTests;

internal static class Scripts
{
    public static async Task FailOnceAsync()
    {
        // snippet: test-script
        var policy = new ScriptedPolicy<Session>(() => new Session(), PolicyHooks.Reset);
        await using var pool = new ResourcePool<Session>(
            policy, new ResourcePoolOptions { MaxSize = 2, RetryDelay = TimeSpan.FromMilliseconds(1) });
        policy.Creating.Next(HookOutcome.Fail, HookOutcome.Succeed); // the first creation fails
        policy.Resetting.Outcome = HookOutcome.Refuse;               // no item is fit for another use

        await (await pool.RentAsync()).DisposeAsync();
        await pool.DrainAsync();

        Console.WriteLine($"{policy.Creating.Calls} creations, {policy.Resetting.Calls} reset, {policy.Live} alive.");
        // end snippet
    }
}
