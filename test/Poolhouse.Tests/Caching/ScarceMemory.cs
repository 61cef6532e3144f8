namespace Poolhouse.Tests.Caching;

/// <summary>A return that keeps its item does not throw: its caller might continue to use it.</summary>
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

    private sealed class ScarceClock : TimeProvider
    {
        public bool IsScarce { get; set; }

        public int Requests { get; private set; }

        public int Timers { get; private set; }

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
