using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Tests.Resources.Engine;

/// <summary>
/// In a full pool, a return gives its item to the head of the queue, and a caller enters the queue behind others, without a plan.
/// Whenever a plan is needed, both go the longer way.
/// </summary>
public sealed class HandOversInFullPools
{
    [Theory]
    [InlineData(IdleOrder.Lifo)]
    [InlineData(IdleOrder.Fifo)]
    public void A_returned_item_goes_to_the_head_of_the_queue(IdleOrder order)
    {
        var bench = new Workbench();
        bench.Options.IdleOrder = order;
        var entry = TakeBack(bench.Rent());
        var waiters = Queue(bench, 2);

        Assert.True(TryServeHead(bench, entry));

        Assert.Equal((WaitOutcome.Served, 1), (waiters[0].Outcome, waiters[0].WakeUps));
        Assert.Same(entry, waiters[0].Grant);
        Assert.Equal((WaitOutcome.None, 0), (waiters[1].Outcome, waiters[1].WakeUps));
        Assert.Equal(1, bench.Now.Waiting);
    }

    [Fact]
    public void After_the_last_hand_over_items_become_idle_again()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        var request = bench.RequestAsync();
        bench.Return(lease);
        bench.Return(LeaseOf(request));

        Assert.Equal((0, 1), (bench.Now.Waiting, bench.Now.Idle));
        Assert.True(bench.Pool.TryRent(out _));
    }

    [Fact]
    public void Waits_are_counted_once_and_stay_counted_when_the_item_is_destroyed()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        var before = bench.Now;
        for (var i = 0; i < 3; i++)
        {
            var request = bench.RequestAsync();
            bench.Advance(2);
            bench.Return(lease);
            lease = LeaseOf(request);
        }

        Assert.Equal((before.Waits + 3, before.Hits, before.WaitTime + Workbench.Seconds(6)), WaitsOf(bench.Now));

        lease.Discard();
        bench.Run();
        Assert.Equal((before.Waits + 3, before.Hits, before.WaitTime + Workbench.Seconds(6)), WaitsOf(bench.Now));
        Assert.Equal(0, bench.Now.Live);
    }

    [Fact]
    public void An_item_cleared_during_its_return_is_replaced()
    {
        var bench = new Workbench();
        var entry = TakeBack(bench.Rent());
        var request = bench.RequestAsync();
        bench.Pool.Clear();

        Assert.False(TryServeHead(bench, entry));
        bench.Pool.Runtime.Core.Offer(entry, bench.Pool.Runtime.Clock.Now);
        bench.Run();

        Assert.Equal(2, LeaseOf(request).Value.Number);
    }

    [Fact]
    public void An_item_that_becomes_stale_during_its_return_is_validated_first()
    {
        var bench = new Workbench();
        var validations = new Gate<bool>();
        bench.Policy.Validates = (_, _, token) => validations.WaitAsync(token);
        var entry = TakeBack(bench.Rent());
        var request = bench.RequestAsync();
        var (core, now) = (bench.Pool.Runtime.Core, bench.Pool.Runtime.Clock.Now);
        core.Operators.RequireValidation(core.Generation, affected: null, now);

        Assert.False(TryServeHead(bench, entry));
        core.Offer(entry, now);
        bench.Run();
        Assert.Equal((1, false), (validations.Waiting, request.IsCompleted));

        validations.Release(true);
        bench.Run();
        Assert.Same(entry.Item, LeaseOf(request).Value);
    }

    [Fact]
    public void A_caller_whose_time_is_up_is_not_served_although_its_timer_has_not_fired()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        var core = bench.Pool.Runtime.Core;
        var now = bench.Pool.Runtime.Clock.Now;
        var late = new ManualWaiter { Deadline = now };
        core.Enter(late, stale: null, now);
        var next = Queue(bench, 1)[0];

        lease.Dispose();

        Assert.Equal((WaitOutcome.TimedOut, WaitOutcome.Served), (late.Outcome, next.Outcome));
        Assert.Equal((1, 1, 1L), (late.WakeUps, next.WakeUps, bench.Now.Timeouts));
    }

    [Fact]
    public void A_suspended_pool_hands_nothing_over()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        var request = bench.RequestAsync();
        bench.Pool.Suspend();
        var follower = bench.RequestAsync();
        bench.Return(lease);
        Assert.Equal((2, 1), (bench.Now.Waiting, bench.Now.Idle));

        bench.Pool.Resume();
        bench.Run();
        bench.Return(LeaseOf(request));
        Assert.True(follower.IsCompletedSuccessfully);
    }

    [Fact]
    public void An_item_beyond_a_smaller_capacity_is_not_handed_over()
    {
        var bench = new Workbench(2);
        var leases = bench.Rent(2);
        var request = bench.RequestAsync();
        bench.Pool.Resize(1);

        bench.Return(leases[0]);
        Assert.Equal((false, 1), (request.IsCompleted, bench.Now.Live));

        bench.Return(leases[1]);
        Assert.True(request.IsCompletedSuccessfully);
    }

    [Fact]
    public void An_idle_item_is_not_left_behind_when_one_more_caller_comes()
    {
        var bench = new Workbench(2);
        var validations = new Gate<bool>();
        bench.Policy.Validates = (_, _, token) => validations.WaitAsync(token);
        bench.Fill(2);
        bench.Advance(2);

        // It relies on the validation of one item, and the other one stays idle.
        var first = bench.RequestAsync();
        Assert.Equal((1, 1), (bench.Now.Validating, bench.Now.Idle));

        var second = bench.RequestAsync();
        Assert.Equal((2, 0), (bench.Now.Validating, bench.Now.Idle));
        validations.Release(true);
        validations.Release(true);
        bench.Run();
        Assert.True(first.IsCompletedSuccessfully && second.IsCompletedSuccessfully);
    }

    [Fact]
    public void A_stale_item_that_a_caller_found_is_validated_although_others_wait()
    {
        var bench = new Workbench(2);
        bench.Policy.Validates = static (_, _, _) => new ValueTask<bool>(result: true);
        bench.Fill(2);
        var core = bench.Pool.Runtime.Core;
        var found = core.TryTakeIdle();
        var lease = bench.Rent();
        var request = bench.RequestAsync();
        Assert.Equal((1, 2), (bench.Now.Waiting, bench.Now.Live));

        var finder = new ManualWaiter();
        core.Enter(finder, found, bench.Pool.Runtime.Clock.Now);
        bench.Run();

        Assert.True(request.IsCompletedSuccessfully);
        bench.Return(lease);
        Assert.Equal(WaitOutcome.Served, finder.Outcome);
    }

    [Fact]
    public void A_caller_behind_others_gets_a_creation_of_its_own_while_the_pool_can_grow()
    {
        var bench = new Workbench(2);
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        _ = bench.RequestAsync();
        Assert.Equal(1, creations.Waiting);

        _ = bench.RequestAsync();
        Assert.Equal(2, creations.Waiting);
    }

    [Fact]
    public async Task A_caller_waits_for_a_return_in_a_full_pool_although_the_last_creation_failed()
    {
        var bench = new Workbench(2);
        bench.Options.OutageTimeout = TimeSpan.Zero;
        bench.Options.RetryDelay = bench.Options.MaxRetryDelay = Workbench.Seconds(20);
        var lease = bench.Rent();
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        var failed = bench.RequestAsync();
        creations.Fail(new InvalidOperationException("The server is away."));
        bench.Run();
        await Refused.WithAsync<InvalidOperationException>(() => failed);
        bench.Pool.Resize(1);
        bench.Run();
        Assert.Equal((1, 1), (bench.Now.Live, bench.Now.MaxSize));

        var waiting = bench.RequestAsync();

        Assert.False(waiting.IsCompleted);
        bench.Return(lease);
        Assert.True(waiting.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_caller_behind_others_has_a_deadline_of_its_own()
    {
        var bench = new Workbench();
        using var lease = bench.Rent();
        var endless = bench.RequestAsync(Timeout.InfiniteTimeSpan);
        var hasty = bench.RequestAsync(Workbench.Seconds(3));

        bench.Advance(3);

        await Assert.ThrowsAsync<PoolTimeoutException>(() => hasty);
        Assert.False(endless.IsCompleted);
    }

    [Fact]
    public void A_caller_behind_others_does_not_rely_on_a_reset_that_hangs()
    {
        var bench = new Workbench();
        var resets = new Gate<bool>();
        bench.Policy.Resets = (_, token) => resets.WaitAsync(token);
        bench.Return(bench.Rent());
        var first = bench.RequestAsync();
        var second = bench.RequestAsync();
        bench.Pool.Resize(3);
        bench.Run();
        Assert.Equal((true, false, 2), (first.IsCompletedSuccessfully, second.IsCompleted, bench.Now.Live));

        // A quarter of ResetTimeout.
        bench.Advance(1.5);
        Assert.True(second.IsCompletedSuccessfully);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_wake_up_that_could_not_be_queued_is_queued_by_the_next_caller_or_return(bool byReturn)
    {
        var bench = new Workbench(2);
        var leases = bench.Rent(2);
        var first = bench.RequestAsync();
        var second = bench.RequestAsync();
        var third = bench.RequestAsync();
        bench.Work.LacksMemory = static _ => true;
        leases[0].Dispose();
        bench.Work.LacksMemory = static _ => false;
        bench.Run();
        Assert.Equal((false, 2), (first.IsCompleted, bench.Now.Waiting));

        if (byReturn)
        {
            bench.Return(leases[1]);
        }
        else
        {
            _ = bench.RequestAsync();
        }

        Assert.True(first.IsCompletedSuccessfully);
        Assert.Equal((byReturn, false), (second.IsCompletedSuccessfully, third.IsCompleted));
    }

    [Fact]
    public void The_token_of_an_earlier_caller_does_not_cancel_a_later_one()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        for (var i = 0; i < 3; i++)
        {
            using var cancellation = new CancellationTokenSource();
            lease = HandOver(bench, lease, bench.RequestAsync(cancellation.Token));
            var request = bench.RequestAsync();
            cancellation.Cancel();
            bench.Run();
            Assert.False(request.IsCompleted);
            lease = HandOver(bench, lease, request);
        }

        using var last = new CancellationTokenSource();
        var cancelled = bench.RequestAsync(last.Token);
        last.Cancel();
        bench.Run();
        Assert.True(cancelled.IsCanceled);
        bench.Return(lease);
        Assert.Equal((1, 0), (bench.Now.Idle, bench.Now.Waiting));
    }

    private static Lease<Part> HandOver(Workbench bench, Lease<Part> lease, Task<Lease<Part>> request)
    {
        bench.Return(lease);
        return LeaseOf(request);
    }

    /// <summary>The lease of a wait that has ended.</summary>
    private static Lease<Part> LeaseOf(Task<Lease<Part>> request)
    {
        Assert.True(request.IsCompletedSuccessfully, "The caller was not served.");
        return request.Result;
    }

    private static (long Waits, long Hits, TimeSpan WaitTime) WaitsOf(ResourcePoolStatistics statistics) =>
        (statistics.Waits, statistics.Hits, statistics.WaitTime);

    /// <summary>Ends a lease whose entry the test returns itself.</summary>
    private static ResourceEntry<Part> TakeBack(Lease<Part> lease)
    {
        var entry = (ResourceEntry<Part>)lease.Slot!;
        Assert.True(entry.TryEnd(entry.Version));
        return entry;
    }

    private static bool TryServeHead(Workbench bench, ResourceEntry<Part> entry) =>
        bench.Pool.Runtime.Core.TryServeHead(entry, bench.Pool.Runtime.Clock.Now);

    private static List<ManualWaiter> Queue(Workbench bench, int count)
    {
        var waiters = Enumerable.Range(0, count).Select(static _ => new ManualWaiter()).ToList();
        waiters.ForEach(waiter => Assert.Equal(
            WaitOutcome.None, bench.Pool.Runtime.Core.Enter(waiter, stale: null, bench.Pool.Runtime.Clock.Now)));
        return waiters;
    }
}
