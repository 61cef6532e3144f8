
namespace Poolhouse.Tests.Regressions;

/// <summary>
/// Bugs that resource pools had when an item passed from one caller to the next. The numbers identify families of bugs.
/// </summary>
public sealed class HandOverRegressions
{
    // 1: npgsql#1788, poolboy#21 #64, psycopg#1123, golang/go#18995: handed to a waiter that had just given up, the item is lost.
    [Fact]
    public void An_item_offered_to_a_waiter_that_has_just_cancelled_goes_to_the_next()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        var gone = new ManualWaiter();
        bench.Pool.Runtime.Core.Enter(gone, stale: null, now: 0);
        var next = bench.RequestAsync();

        // Cancelled, but the cancelling thread has not removed it from the queue yet.
        Assert.True(gone.TryComplete(WaitOutcome.Cancelled));
        bench.Return(lease);

        Assert.True(next.IsCompletedSuccessfully);
        Assert.Null(gone.Grant);
        bench.AssertBalanced();
    }

    // 2: boostorg/mysql#509, POOL-147, POOL-149: a cancellation consumes the only wake-up, and the next sleeps beside an idle
    // item.
    [Fact]
    public async Task A_cancellation_after_the_hand_over_does_not_lose_the_item()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        using var cancellation = new CancellationTokenSource();
        var first = bench.RequestAsync(cancellation.Token);
        var second = bench.RequestAsync();

        lease.Dispose();
        await cancellation.CancelAsync();
        bench.Run();

        // Given before it was cancelled, so it is delivered; when its owner returns it, the next caller gets it.
        Assert.True(first.IsCompletedSuccessfully);
        bench.Return(await first);
        Assert.True(second.IsCompletedSuccessfully);
    }

    // 11: bb8#122, HikariCP#452: returned between a caller's check and its queueing, the item stays idle while the caller sleeps.
    [Fact]
    public void An_item_returned_just_before_the_caller_was_queued_reaches_it()
    {
        var bench = new Workbench();
        bench.Fill(1);
        var late = new ManualWaiter();

        // The caller checked before the return, and queues itself now.
        bench.Pool.Runtime.Core.Enter(late, stale: null, now: 0);
        bench.Run();

        Assert.Equal((WaitOutcome.Served, 1), (late.Outcome, late.WakeUps));
        Assert.Equal(1, bench.Now.Created);
    }

    // 26: puddle#46: a released item stays idle until the releasing thread's time slice ends, and a barging caller gets it.
    [Fact]
    public void A_returned_item_belongs_to_the_waiter_before_the_return_completes()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        var waiting = bench.RequestAsync();

        lease.Dispose();

        Assert.Equal((0, 0, 1L), (bench.Now.Waiting, bench.Now.Idle, bench.Now.Leased));
        Assert.False(bench.Pool.TryRent(out _));
        bench.Run();
        Assert.True(waiting.IsCompletedSuccessfully);
    }

    // 27: HikariCP#835: with many waiters and no item, the pool keeps a processor busy.
    [Fact]
    public void The_pool_uses_no_processor_time_while_many_callers_wait_for_the_only_creation()
    {
        var bench = new Workbench(4);
        var creations = new Gate<Part>();
        bench.Options.MaxConcurrentCreates = 1;
        bench.Policy.Creates = creations.WaitAsync;
        _ = Enumerable.Range(0, 8).Select(_ => bench.RequestAsync()).ToList();
        creations.Fail(new InvalidOperationException("down"));

        // A pool that checks again immediately after each check never lets the clock advance.
        Assert.True(Background.CanDo(() => bench.Advance(2)));
        Assert.Equal((2, 1), (creations.Calls, creations.Waiting));
    }
}
