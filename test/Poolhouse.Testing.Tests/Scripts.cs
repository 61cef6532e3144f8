using Poolhouse.Testing.Tests.Faults;

namespace Poolhouse.Testing.Tests;

/// <summary>Scripted policies.</summary>
public sealed class Scripts
{
    [Fact]
    public async Task After_a_recovery_planned_calls_succeed()
    {
        var policy = new ScriptedPolicy<object>(static () => new object());
        policy.Creating.Next(HookOutcome.Fail, HookOutcome.Hang);

        policy.Recover();

        for (var call = 0; call < 2; call++)
        {
            var creating = policy.CreateAsync(TestContext.Current.CancellationToken).AsTask();
            Assert.NotNull(await creating.WaitAsync(Patience.Time, TestContext.Current.CancellationToken));
        }
    }
}
