using System.Runtime.CompilerServices;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Buffers;

public sealed class IdleTime
{
    private static readonly TimeSpan _timeout = TimeSpan.FromMinutes(4);
    private static readonly TimeSpan _tick = TimeSpan.FromMinutes(1);

    private readonly ManualTimeProvider _clock = new();
    private readonly TieredArrayPool<byte> _pool;

    public IdleTime() => _pool = Make(_timeout);

    [Theory]
    [InlineData(16)]
    [InlineData(4096)]
    [InlineData(8 << 20)]
    public void An_idle_array_stays_for_the_timeout_and_is_dropped_at_most_25_percent_later(int length)
    {
        _pool.Return(_pool.Rent(length));

        _clock.Advance(_timeout);
        Assert.Equal(1, Retained);
        _clock.Advance(_tick);
        Assert.Equal(0, Retained);
        Assert.Equal(1, _pool.AssertBalanced().Trimmed);
    }

    [Fact]
    public void An_array_returned_just_before_an_idle_check_stays_for_the_timeout()
    {
        var (first, second) = (_pool.Rent(16), _pool.Rent(1000));
        _pool.Return(first);
        _clock.Advance(_tick - TimeSpan.FromTicks(1));
        _pool.Return(second);
        _clock.Advance(TimeSpan.FromTicks(1));

        _clock.Advance(_timeout - TimeSpan.FromTicks(1));
        Assert.Equal(2, Retained);
        _clock.Advance(TimeSpan.FromTicks(1));
        Assert.Equal(0, Retained);
    }

    [Fact]
    public void Arrays_of_ended_leases_expire_like_plain_ones()
    {
        _pool.RentExact(100).Dispose();
        _clock.Advance(_timeout);
        Assert.Equal(1, Retained);

        _clock.Advance(_tick);

        Assert.Equal(0, Retained);
    }

    [Fact]
    public void Rented_arrays_do_not_age()
    {
        var lease = _pool.RentExact(100);
        var array = _pool.Rent(100);
        _pool.Return(_pool.Rent(16));
        _clock.Advance(10 * _timeout);

        Assert.True(lease.IsActive);
        lease.Dispose();
        _pool.Return(array);
        Assert.Equal(2, Retained);
    }

    [Fact]
    public void Arrays_of_a_length_in_use_stay_while_idle_ones_are_dropped()
    {
        var hot = _pool.Rent(1000);
        _pool.Return(hot);
        _pool.ReturnAll(_pool.RentMany(10, 100));
        _pool.ReturnAll(_pool.RentMany(3, 1 << 20));
        for (var tick = 0; tick < 30; tick++)
        {
            _clock.Advance(_tick);
            Assert.Same(hot, _pool.Rent(1000));
            _pool.Return(hot);
        }

        Assert.Equal(1, Retained);
        Assert.Equal(1024, _pool.AssertBalanced().RetainedBytes);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(8)]
    [InlineData(32)]
    [InlineData(200)]
    public void After_a_burst_only_the_arrays_still_in_use_stay(int burst)
    {
        _pool.ReturnAll(_pool.RentMany(burst, 1000));
        for (var tick = 0; tick < 100; tick++)
        {
            _clock.Advance(_tick);
            _pool.Return(_pool.Rent(1000));
        }

        Assert.Equal(1, Retained);
    }

    [Fact]
    public void Arrays_of_an_ended_thread_are_dropped_too()
    {
        Threads.RunAlone(() => _pool.ReturnAll(_pool.RentMany(50, 100)));
        Assert.Equal(50, Retained);

        _clock.Advance(_timeout + _tick);

        Assert.Equal(0, Retained);
    }

    [Fact]
    public void The_timer_runs_only_while_the_pool_holds_something()
    {
        Assert.Equal(0, _clock.ArmedTimers);
        var array = _pool.Rent(100);
        Assert.Equal(0, _clock.ArmedTimers);
        _pool.Return(array);
        Assert.Equal(1, _clock.ArmedTimers);
        _clock.Advance(_timeout + _tick);
        Assert.Equal(0, _clock.ArmedTimers);

        _pool.RentExact(100).Dispose();
        Assert.Equal(1, _clock.ArmedTimers);
    }

    [Fact]
    public void The_timer_stops_at_its_next_tick_after_a_trim()
    {
        _pool.ReturnAll(_pool.RentMany(3, 100));
        _pool.Trim();
        _clock.Advance(_tick);

        Assert.Equal(0, _clock.ArmedTimers);
    }

    [Fact]
    public void A_surplus_array_starts_no_timer()
    {
        var options = Pools.Options(budget: 0);
        options.TimeProvider = _clock;
        options.IdleTimeout = _timeout;
        using var pool = new TieredArrayPool<byte>(options);
        pool.Return(pool.Rent(100));

        Assert.Equal(0, _clock.ArmedTimers);
    }

    [Fact]
    public void Disposal_stops_the_timer()
    {
        var late = _pool.Rent(100);
        _pool.Return(_pool.Rent(100));
        _pool.Dispose();
        _pool.Return(late);

        Assert.Equal(0, _clock.ArmedTimers);
    }

    [Fact]
    public void Without_a_timeout_nothing_ages_and_no_timer_runs()
    {
        using var pool = Make(Timeout.InfiniteTimeSpan);
        pool.Return(pool.Rent(100));
        Assert.Equal(0, _clock.ArmedTimers);

        _clock.Advance(TimeSpan.FromDays(30));

        Assert.Equal(1, pool.GetStatistics().Retained);
    }

    [Fact]
    public void The_timer_does_not_keep_an_unreferenced_pool_alive()
    {
        var forgotten = Forget();
        GC.Collect();
        GC.WaitForPendingFinalizers();

        Assert.False(forgotten.IsAlive);
        Assert.Equal(0, _clock.ArmedTimers);
    }

    private long Retained => _pool.GetStatistics().Retained;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference Forget()
    {
        var pool = Make(_timeout);
        pool.Return(pool.Rent(100));
        Assert.Equal(1, _clock.ArmedTimers);
        GC.KeepAlive(pool);
        return new WeakReference(pool);
    }

    private TieredArrayPool<byte> Make(TimeSpan timeout) => new(new ArrayPoolOptions
    {
        IdleTimeout = timeout,
        TimeProvider = _clock,
        MemoryPressure = new MemoryPressureSource(),
    });
}
