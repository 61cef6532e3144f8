using Poolhouse.Caching;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Tests.Caching;

/// <summary>A clock that throws affects no rent, no return and no item.</summary>
public sealed class FailingClocks
{
    private readonly FailingClock _clock = new();

    [Fact]
    public void A_returned_item_is_surplus_if_the_clock_fails()
    {
        using var pool = NewPool(maxRetained: 4);
        var item = pool.Get();
        Threads.RunAlone(() => Return(pool, 4));
        _clock.FailsAt(1);
        pool.Return(item);

        Assert.Equal((1, 1), (pool.GetStatistics().Surplus, item.Disposals));
    }

    [Fact]
    public void A_new_item_is_rented_if_the_clock_fails()
    {
        using var pool = NewPool(maxRetained: 64);
        Threads.RunAlone(() => Return(pool, 4));
        _clock.FailsAt(1);
        pool.Get();

        Assert.Equal((0, 5), (pool.GetStatistics().Hits, pool.GetStatistics().Misses));
    }

    [Fact]
    public void Threads_exchange_items_again_after_the_clock_failed_at_the_end_of_an_exchange()
    {
        var engine = new CacheEngine(new RetentionBudget(64), new ObjectPoolOptions { TimeProvider = _clock }, destroy: null);
        var store = engine.AddStore(1, ThreadStack.Capacity);
        Threads.RunAlone(Fill);
        var own = store.Own();
        _clock.FailsAt(2);
        Assert.NotNull(engine.PopSlow(store, own));
        while (engine.PopSlow(store, own) is not null)
        {
        }

        Threads.RunAlone(Fill);
        _clock.Advance();

        // A thread reads the clock only occasionally.
        Assert.Contains(Enumerable.Range(0, 100), _ => engine.PopSlow(store, own) is not null);

        void Fill() => Array.ForEach(new object[4], _ => engine.PushSlow(store, store.Own(), new object()));
    }

    /// <summary>The exception would end the process: a timer calls back on a thread of the runtime.</summary>
    [Fact]
    public void A_timer_that_cannot_be_stopped_is_stopped_at_its_next_tick()
    {
        using var pool = NewPool(maxRetained: 4);
        pool.Return(pool.Get());
        pool.Get();
        _clock.CannotStop = true;
        _clock.Tick();
        Assert.Equal(0, _clock.Stops);

        _clock.CannotStop = false;
        _clock.Tick();
        Assert.Equal(1, _clock.Stops);
    }

    private TieredObjectPool<DisposableItem> NewPool(int maxRetained) => new(
        static () => new DisposableItem(),
        options: new ObjectPoolOptions { MaxRetained = maxRetained, TimeProvider = _clock });

    private static void Return(TieredObjectPool<DisposableItem> pool, int count)
    {
        var items = Enumerable.Range(0, count).Select(_ => pool.Get()).ToList();
        items.ForEach(pool.Return);
    }

    private sealed class FailingClock : TimeProvider, ITimer
    {
        private long _now;
        private int _left;
        private Action? _tick;

        public bool CannotStop { get; set; }

        public int Stops { get; private set; }

        /// <summary>The reading that fails, counted from now.</summary>
        public void FailsAt(int reading) => _left = reading;

        public void Advance() => _now += TimestampFrequency;

        public void Tick() => _tick!();

        public override long GetTimestamp() => --_left == 0 ? throw new InvalidOperationException("The clock failed.") : _now;

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            _tick = () => callback(state);
            return this;
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            if (dueTime == Timeout.InfiniteTimeSpan)
            {
                Stops += CannotStop ? throw new InvalidOperationException("The clock failed.") : 1;
            }

            return true;
        }

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => default;
    }
}
