using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Shards;

/// <summary>
/// Thread.Interrupt divides nothing that a handler has begun: no shard is lost, and the interrupt stays pending.
/// </summary>
public sealed class InterruptedThreads
{
    [Fact]
    public async Task A_clear_that_is_interrupted_at_a_lock_replaces_its_shard_and_retires_the_old_one()
    {
        using var clock = new HeldClock();
        using var rig = new ShardRig(1, options => options.TimeProvider = clock);
        clock.HoldNextReading();
        var reader = Start(() => _ = rig.Now);
        clock.AwaitHeld();

        Exception? failure = null;
        var isStillPending = false;
        var clearing = Start(() =>
        {
            failure = Record.Exception(() => rig.Handler.Clear());
            isStillPending = IsInterruptPending();
        });

        // It has created the new shard, and waits for the lock that the reader holds.
        await Patience.UntilAsync(
            () => rig.Made.Count == 2 && clearing.ThreadState.HasFlag(ThreadState.WaitSleepJoin), "the clear to block");
        clearing.Interrupt();
        clock.Release();
        Assert.True(clearing.Join(Patience.Limit) && reader.Join(Patience.Limit), "A thread does not come back.");

        Assert.Null(failure);
        Assert.True(isStillPending);
        Assert.Equal(1, rig.Now.Cleared);
        await Patience.UntilAsync(() => rig.Made[0].IsDisposed && rig.Now.Retiring == 0, "the old shard to be disposed");
        Assert.False(rig.Made[1].IsDisposed);
    }

    [Fact]
    public async Task A_disposal_that_is_interrupted_at_the_timer_retires_every_shard()
    {
        using var rig = new ShardRig(2, static options => options.TimeProvider = new InterruptedClock());
        Exception? failure = null;
        var isStillPending = false;
        var disposing = Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            failure = Record.Exception(rig.Handler.Dispose);
            isStillPending = IsInterruptPending();
        });
        Assert.True(disposing.Join(Patience.Limit), "The thread does not come back.");

        Assert.Null(failure);
        Assert.True(isStillPending);
        await Patience.UntilAsync(
            () => rig.Made.All(handler => handler.IsDisposed) && rig.Now.Retiring == 0, "the shards to be disposed");
    }

    private static Thread Start(Action body)
    {
        var thread = new Thread(() => body()) { IsBackground = true };
        thread.Start();
        return thread;
    }

    private static bool IsInterruptPending()
    {
        // Not a ManualResetEventSlim: on a busy machine, its time may elapse while it spins, before it blocks.
        using var never = new ManualResetEvent(initialState: false);
        return Record.Exception(() => never.WaitOne(TimeSpan.FromMilliseconds(1))) is ThreadInterruptedException;
    }

    /// <summary>The system's clock, whose timers can be interrupted when they are disposed, as at a lock.</summary>
    private sealed class InterruptedClock : TimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            new InterruptedTimer(base.CreateTimer(callback, state, dueTime, period));
    }

    private sealed class InterruptedTimer(ITimer timer) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => timer.Change(dueTime, period);

        public void Dispose()
        {
            // Does not wait, but delivers an interrupt.
            using var set = new ManualResetEvent(initialState: true);
            set.WaitOne(0);
            timer.Dispose();
        }

        public ValueTask DisposeAsync() => timer.DisposeAsync();
    }
}
