using Poolhouse.Caching;

namespace Poolhouse.Tests.Caching;

/// <summary>An item that is returned while memory is short is either kept or surplus, and the return does not throw.</summary>
public sealed class ScarceMemory
{
    private readonly ScarceClock _clock = new();

    [Fact]
    public void An_item_is_kept_although_no_timer_can_be_created()
    {
        using var pool = new TieredObjectPool<Item>(
            static () => new Item(), options: new ObjectPoolOptions { TimeProvider = _clock });
        var (first, second) = (pool.Get(), pool.Get());
        _clock.IsScarce = true;
        pool.Return(first);
        Assert.Equal(1, pool.GetStatistics().Retained);
        Assert.Same(first, pool.Get());

        // A return on the slow path, as the first one was: only that starts the timer.
        pool.Trim();
        _clock.IsScarce = false;
        pool.Return(first);
        pool.Return(second);

        Assert.Equal((2, 1), (_clock.Requests, _clock.Timers));
    }

    [Fact]
    public void An_item_is_surplus_if_there_is_no_memory_to_find_room_on_other_threads()
    {
        var tiers = new CacheEngine(new RetentionBudget(4), new ObjectPoolOptions { TimeProvider = _clock }, destroy: null);
        var lane = tiers.AddStore(1, 4);
        Threads.Run(1, _ =>
        {
            for (var count = 0; count < 4; count++)
            {
                Assert.Equal(PushResult.Kept, tiers.PushSlow(lane, lane.Own(), new object()));
            }
        });
        var own = lane.Own();
        _clock.IsScarce = true;
        Assert.Equal(PushResult.Surplus, tiers.PushSlow(lane, own, new object()));

        Assert.Equal(1, own.Counters.Surplus);
    }

    private sealed class ScarceClock : TimeProvider
    {
        public bool IsScarce { get; set; }

        public int Requests { get; private set; }

        public int Timers { get; private set; }

        public override long GetTimestamp() => IsScarce
            ? throw new InsufficientMemoryException("There is no memory for another object.")
            : base.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Requests++;
            if (IsScarce)
            {
                throw new InsufficientMemoryException("There is no memory for another object.");
            }

            Timers++;
            return base.CreateTimer(callback, state, dueTime, period);
        }
    }
}
