using Poolhouse.Testing;

namespace Poolhouse.Tests.Objects;

public sealed class IdleTime
{
    private static readonly TimeSpan _timeout = TimeSpan.FromSeconds(40);
    private static readonly TimeSpan _tick = _timeout / 4;

    private readonly ManualTimeProvider _clock = new();
    private readonly MemoryPressureSource _pressure = new();
    private readonly RecordingPolicy<DisposableItem> _policy = new(() => new DisposableItem());
    private readonly TieredObjectPool<DisposableItem> _pool;

    public IdleTime() => _pool = new TieredObjectPool<DisposableItem>(
        _policy, new ObjectPoolOptions { IdleTimeout = _timeout, TimeProvider = _clock, MemoryPressure = _pressure });

    [Fact]
    public void An_idle_item_stays_for_the_timeout_and_is_destroyed_at_most_25_percent_later()
    {
        Cycle(40);

        _clock.Advance(_timeout);
        Assert.Equal(40, _pool.GetStatistics().Retained);
        _clock.Advance(_tick);

        Assert.Equal(0, _pool.GetStatistics().Retained);
        Assert.All(_policy.Created, item => Assert.Equal(1, item.Disposals));
        Assert.Equal(40, _pool.GetStatistics().Trimmed);
    }

    [Fact]
    public void Items_in_use_stay_while_idle_ones_are_destroyed()
    {
        Cycle(100);
        for (var second = 0; second < 60; second++)
        {
            Cycle(3);
            _clock.Advance(TimeSpan.FromSeconds(1));
        }

        Assert.Equal(3, _pool.GetStatistics().Retained);
        Assert.Equal(100, _pool.GetStatistics().Created);
    }

    [Fact]
    public void Items_of_an_ended_thread_are_destroyed_too()
    {
        Threads.RunAlone(() => Cycle(10));

        _clock.Advance(_timeout + _tick);

        Assert.Equal(0, _pool.GetStatistics().Retained);
    }

    [Fact]
    public void Leased_items_are_never_touched()
    {
        var item = _pool.Get();
        var lease = _pool.Rent();

        _clock.Advance(_timeout * 10);

        Assert.Equal(0, item.Disposals);
        Assert.Equal(0, lease.Value.Disposals);
        Assert.True(lease.IsActive);
    }

    [Fact]
    public void The_timer_runs_only_while_something_is_retained()
    {
        Assert.Equal(0, _clock.ArmedTimers);
        Cycle(1);
        Assert.Equal(1, _clock.ArmedTimers);
        _clock.Advance(_timeout + _tick);
        Assert.Equal(0, _clock.ArmedTimers);

        Cycle(1);
        Assert.Equal(1, _clock.ArmedTimers);
        _clock.Advance(_timeout + _tick);
        Assert.Equal(0, _pool.GetStatistics().Retained);
    }

    [Fact]
    public void Disposal_stops_the_timer()
    {
        Cycle(1);
        _pool.Dispose();

        Assert.Equal(0, _clock.ArmedTimers);
    }

    [Fact]
    public void Without_a_timeout_no_item_expires()
    {
        var pool = new TieredObjectPool<Item>(
            () => new Item(), null, new ObjectPoolOptions { IdleTimeout = Timeout.InfiniteTimeSpan, TimeProvider = _clock });
        pool.Return(pool.Get());
        _clock.Advance(TimeSpan.FromDays(30));

        Assert.Equal(1, pool.GetStatistics().Retained);
        Assert.Equal(0, _clock.ArmedTimers);
    }

    [Fact]
    public void High_pressure_destroys_everything()
    {
        Cycle(50);
        Threads.RunAlone(() => Cycle(5));

        _pressure.Report(MemoryPressure.High);

        Assert.Equal(0, _pool.GetStatistics().Retained);
        Assert.All(_policy.Created, item => Assert.Equal(1, item.Disposals));
    }

    [Fact]
    public void Medium_pressure_destroys_items_idle_since_the_last_check()
    {
        Cycle(50);
        _pressure.Report(MemoryPressure.Medium);
        Assert.Equal(50, _pool.GetStatistics().Retained);

        Cycle(4);
        _pressure.Report(MemoryPressure.Medium);

        Assert.InRange(_pool.GetStatistics().Retained, 4, 8);
    }

    [Fact]
    public void Low_pressure_destroys_nothing()
    {
        Cycle(5);
        _pressure.Report(MemoryPressure.Low);

        Assert.Equal(5, _pool.GetStatistics().Retained);
    }

    [Fact]
    public void An_unknown_pressure_is_an_error() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => _pressure.Report((MemoryPressure)7));

    private void Cycle(int count)
    {
        var items = Enumerable.Range(0, count).Select(_ => _pool.Get()).ToList();
        items.ForEach(_pool.Return);
    }
}
