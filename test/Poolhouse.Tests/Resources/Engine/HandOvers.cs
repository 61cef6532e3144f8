using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources.Engine;

public sealed class HandOvers
{
    private readonly ManualTimeProvider _clock = new();
    private readonly HeldScheduler _scheduler = new();

    [Fact]
    public void An_item_rejected_by_a_cancelled_waiter_goes_to_the_next()
    {
        using var pool = NewPool(maxSize: 1);
        var lease = RentNow(pool);
        var core = pool.Runtime.Core;
        var cancelled = new Bystander();
        var next = new Bystander();
        core.Enter(cancelled, stale: null, now: 0);
        core.Enter(next, stale: null, now: 0);

        // Decided, and not yet withdrawn: the offer finds it at the head of the queue.
        cancelled.TryComplete(WaitOutcome.Cancelled);
        lease.Dispose();
        Assert.Equal(WaitOutcome.Served, next.Outcome);
        Assert.True(next.WasWoken);
        Assert.Null(cancelled.Grant);

        core.Withdraw(cancelled, now: 0);
        next.Grant!.BeginLease().Dispose();
        Assert.Equal((0, 1, 1L), (pool.GetStatistics().Waiting, pool.GetStatistics().Idle, pool.GetStatistics().Cancellations));
    }

    [Fact]
    public void An_expired_waiter_is_skipped_although_its_timer_has_not_fired()
    {
        using var pool = NewPool(maxSize: 1);
        var entry = (ResourceEntry<Part>)RentNow(pool).Slot!;
        var core = pool.Runtime.Core;
        var late = new Bystander { Deadline = 10 };
        var next = new Bystander { Deadline = PoolClock.Never };
        core.Enter(late, stale: null, now: 0);
        core.Enter(next, stale: null, now: 0);

        // Every thread-pool thread may be blocked: then no timer fires, and the next caller's time elapses as well.
        Assert.True(entry.TryEnd(version: 1));
        core.Offer(entry, now: 10);

        Assert.Equal((WaitOutcome.TimedOut, WaitOutcome.Served), (late.Outcome, next.Outcome));
        Assert.True(late.WasWoken);
        Assert.Equal(1, pool.GetStatistics().Timeouts);
        next.Grant!.BeginLease().Dispose();
    }

    [Fact]
    public void A_served_waiter_never_resumes_on_the_stack_of_the_returning_thread()
    {
        using var pool = NewPool(maxSize: 1);
        var lease = RentNow(pool);
        var waiting = pool.RentAsync().AsTask();

        lease.Dispose();
        Assert.False(waiting.IsCompleted);

        _scheduler.Run();
        Assert.True(waiting.IsCompletedSuccessfully);
    }

    [Fact]
    public void A_caller_served_before_its_cancellation_is_registered_is_woken()
    {
        using var pool = NewPool(maxSize: 1);
        using var cancellation = new CancellationTokenSource();

        // The creation ends inside the call, before the caller has registered its cancellation.
        _scheduler.RunsAtOnce = true;
        var waiting = pool.RentAsync(cancellation.Token).AsTask();

        Assert.True(waiting.IsCompletedSuccessfully);
    }

    [Fact]
    public void A_reused_waiter_object_has_one_user()
    {
        using var pool = NewPool(maxSize: 3);
        foreach (var lease in new[] { RentNow(pool), RentNow(pool), RentNow(pool) })
        {
            lease.Discard();
        }

        var waiting = new[] { pool.RentAsync().AsTask(), pool.RentAsync().AsTask(), pool.RentAsync().AsTask() };
        _scheduler.Run();

        Assert.All(waiting, task => Assert.True(task.IsCompletedSuccessfully));
        Assert.Equal(3, waiting.Select(task => task.Result.Value).Distinct().Count());
    }

    [Fact]
    public void A_caller_leaving_the_middle_of_the_queue_does_not_change_the_order()
    {
        using var pool = NewPool(maxSize: 1);
        var lease = RentNow(pool);
        using var cancellation = new CancellationTokenSource();
        var first = pool.RentAsync().AsTask();
        var second = pool.RentAsync(cancellation.Token).AsTask();
        var third = pool.RentAsync().AsTask();
        var fourth = pool.RentAsync().AsTask();
        cancellation.Cancel();
        _scheduler.Run();
        Assert.True(second.IsCanceled);

        foreach (var waiting in new[] { first, third, fourth })
        {
            lease.Dispose();
            _scheduler.Run();
            Assert.True(waiting.IsCompletedSuccessfully);
            lease = LeaseOf(waiting);
        }
    }

    [Fact]
    public void Released_capacity_goes_to_a_waiting_pool_only()
    {
        using var pool = NewPool(maxSize: 1);
        var lease = RentNow(pool);
        var waiting = pool.RentAsync().AsTask();

        lease.Discard();
        Assert.Equal((1, 1, 0), (pool.GetStatistics().Live, pool.GetStatistics().Destroying, pool.GetStatistics().Creating));

        _scheduler.Run();
        LeaseOf(waiting).Detach();
        var another = pool.RentAsync().AsTask();
        _scheduler.Run();
        Assert.True(another.IsCompletedSuccessfully);
    }

    private ResourcePool<Part> NewPool(int maxSize) => ResourcePool.Create(
        _ => new ValueTask<Part>(new Part()),
        new ResourcePoolOptions { MaxSize = maxSize, TimeProvider = _clock, Scheduler = _scheduler });

    private Lease<Part> RentNow(ResourcePool<Part> pool)
    {
        var waiting = pool.RentAsync().AsTask();
        _scheduler.Run();
        return LeaseOf(waiting);
    }

    /// <summary>The lease of a wait that has ended.</summary>
    private static Lease<Part> LeaseOf(Task<Lease<Part>> waiting) => waiting.Result;

    private sealed class Part;

    /// <summary>Runs the pool's work when the test requests it.</summary>
    private sealed class HeldScheduler : WorkScheduler
    {
        private readonly Queue<IThreadPoolWorkItem> _held = new();

        public bool RunsAtOnce { get; set; }

        public override void Post(IThreadPoolWorkItem work)
        {
            _held.Enqueue(work);
            if (RunsAtOnce)
            {
                Run();
            }
        }

        public override void PostToOwnThread(IThreadPoolWorkItem work) => Post(work);

        public void Run()
        {
            while (_held.TryDequeue(out var work))
            {
                work.Execute();
            }
        }
    }

    /// <summary>A waiter without a caller.</summary>
    private sealed class Bystander : Waiter<ResourceEntry<Part>>
    {
        public Bystander() => Deadline = PoolClock.Never;

        public bool WasWoken { get; private set; }

        public override bool IsSynchronous => false;

        public override void Wake() => WasWoken = true;
    }
}
