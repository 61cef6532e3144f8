using System.Runtime.CompilerServices;
using Poolhouse.Extensions.Logging;
using Poolhouse.Extensions.Registration;

namespace Poolhouse.Extensions.Tests.Hosting;

/// <summary>I26: a timer that outlives its caller keeps nothing of the caller's ExecutionContext alive.</summary>
public sealed class Rooting
{
    private static readonly AsyncLocal<object?> _local = new();

    [Fact]
    public void The_async_locals_of_the_flow_that_resolves_a_pool_are_not_kept_alive()
    {
        ReloadWatcher<object>? watcher = null;
        var state = RunInFlowOfItsOwn(() => watcher = new ReloadWatcher<object>([], TimeProvider.System, () => { }));

        AssertCollected(state);
        watcher!.Dispose();
    }

    [Fact]
    public void The_async_locals_of_the_flow_whose_log_entry_is_suppressed_are_not_kept_alive()
    {
        using var throttle = new LogThrottle(TimeProvider.System, _ => { });
        Assert.True(throttle.TryPass());
        var state = RunInFlowOfItsOwn(() => Assert.False(throttle.TryPass()));

        AssertCollected(state);
    }

    // A thread of its own, which has ended: nothing but the timer may still have its context.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference RunInFlowOfItsOwn(Action body)
    {
        WeakReference? state = null;
        var thread = new Thread(() =>
        {
            var local = new object();
            state = new WeakReference(local);
            _local.Value = local;
            body();
        });
        thread.Start();
        thread.Join();
        return state!;
    }

    private static void AssertCollected(WeakReference state)
    {
        for (var attempt = 0; attempt < 10 && state.IsAlive; attempt++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.False(state.IsAlive);
    }
}
