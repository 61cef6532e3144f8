using System.Runtime.CompilerServices;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Resources;

namespace Poolhouse.Data.Tests.Creation;

/// <summary>I29: a caller is answered although nothing but its wait refers to the source, and garbage is collected meanwhile.</summary>
public sealed class ForgottenCallers
{
    private const int Callers = 20;

    [Fact]
    public async Task While_the_server_is_away_callers_are_answered_although_nothing_else_refers_to_their_source()
    {
        var answers = Enumerable.Range(0, Callers).Select(_ => OpenAndForget()).ToList();
        var all = Task.WhenAll(answers);
        var started = TimeProvider.System.GetTimestamp();
        while (!all.IsCompleted && TimeProvider.System.GetElapsedTime(started) < TimeSpan.FromSeconds(30))
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            await Task.Delay(TimeSpan.FromMilliseconds(20), TestContext.Current.CancellationToken);
        }

        Assert.Equal(Callers, answers.Count(answer => answer.IsCompleted));
        Assert.All(await all, failure => Assert.IsType<DbPoolException>(failure));
    }

    /// <returns>What the caller completes, and which leads nowhere.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Task<Exception?> OpenAndForget()
    {
        var answer = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        _ = OpenAsync(answer);
        return answer.Task;
    }

#pragma warning disable CA2000 // Nobody disposes the source: it is forgotten with its caller.
    private static async Task OpenAsync(TaskCompletionSource<Exception?> answer)
    {
        await Task.Yield();
        var provider = new FakeDb();

        // Neither permanent nor a server that was never reached: a failure that the pool waits out.
        provider.Failures["connection.Open"] = new TimeoutException();
        var source = PooledDataSource.Create(
            provider,
            new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1, RentTimeout = TimeSpan.FromMilliseconds(300) } });
        try
        {
            await (await source.OpenConnectionAsync()).DisposeAsync();
            answer.SetResult(null);
        }
#pragma warning disable CA1031 // Whatever it is, the test gets it.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            answer.SetResult(failure);
        }
    }
#pragma warning restore CA2000
}
