using Poolhouse.Testing;

namespace Poolhouse.Tests.Buffers;

public sealed class DoubleReturns
{
    private readonly TieredArrayPool<byte> _pool = Pools.Make<byte>();

    [Theory]
    [InlineData(16)]
    [InlineData(1000)]
    [InlineData(8 << 20)]
    public void Returning_the_same_array_twice_in_a_row_changes_nothing_and_is_counted(int length)
    {
        var array = _pool.Rent(length);
        _pool.Return(array);
        _pool.Return(array);
        _pool.Return(array);

        var statistics = _pool.AssertBalanced();
        Assert.Equal(2, statistics.DoubleReturns);
        Assert.Equal(1, statistics.Returned);
        Assert.Equal(1, statistics.Retained);
        Assert.Same(array, _pool.Rent(length));
        Assert.NotSame(array, _pool.Rent(length));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(31)]
    [InlineData(32)]
    [InlineData(33)]
    [InlineData(100)]
    public void The_array_returned_last_is_recognised_however_many_are_below_it(int count)
    {
        var arrays = _pool.RentMany(count, 100);
        foreach (var array in arrays)
        {
            _pool.Return(array);
            _pool.Return(array);
        }

        Assert.Equal(count, _pool.AssertBalanced().DoubleReturns);
        Assert.Equal(count, _pool.RentMany(count, 100).Distinct().Count());
    }

    [Fact]
    public void Rents_and_returns_of_other_lengths_in_between_do_not_hide_it()
    {
        var array = _pool.Rent(100);
        _pool.Return(array);
        _pool.ReturnAll(_pool.RentMany(40, 5000));
        _pool.RentExact(16).Dispose();
        _pool.Return(array);

        Assert.Equal(1, _pool.AssertBalanced().DoubleReturns);
    }

    [Fact]
    public void An_idle_check_in_between_does_not_hide_it()
    {
        var clock = new ManualTimeProvider();
        using var pool = new TieredArrayPool<byte>(new ArrayPoolOptions { TimeProvider = clock });
        var array = pool.Rent(100);
        pool.Return(array);
        clock.Advance(TimeSpan.FromMinutes(2));
        pool.Return(array);

        Assert.NotSame(pool.Rent(100), pool.Rent(100));
        Assert.Equal(1, pool.AssertBalanced().DoubleReturns);
    }

    [Theory]
    [InlineData(1 << 20)]
    [InlineData(2 * 128)]
    public void An_idle_check_hides_the_double_return_of_no_thread(int budget)
    {
        var clock = new ManualTimeProvider();
        using var pool =
            new TieredArrayPool<byte>(new ArrayPoolOptions { TimeProvider = clock, MaxRetainedBytes = budget });
        using var step = new Barrier(2);
        Threads.Run(2, number =>
        {
            var array = pool.Rent(100);
            step.SignalAndWait();
            pool.Return(array);
            step.SignalAndWait();
            if (number == 0)
            {
                clock.Advance(TimeSpan.FromMinutes(2));
            }

            step.SignalAndWait();
            pool.Return(array);
        });

        Assert.Equal((2, 2), (pool.AssertBalanced().DoubleReturns, pool.GetStatistics().Retained));
    }

    [Theory]
    [InlineData(1000)]
    [InlineData(1 << 20)]
    public void Returns_by_other_threads_do_not_hide_it(int length)
    {
        var arrays = _pool.RentMany(3, length);
        _pool.Return(arrays[0]);
        Threads.RunAlone(() => _pool.Return(arrays[1]));
        Threads.RunAlone(() => _pool.Return(arrays[2]));
        _pool.Return(arrays[0]);

        Assert.Equal((1, 3), (_pool.AssertBalanced().DoubleReturns, _pool.GetStatistics().Retained));
    }

    [Fact]
    public void It_is_recognised_when_the_pool_is_full()
    {
        using var pool = Pools.Make<byte>(budget: 32);
        var arrays = pool.RentMany(3, 16);
        pool.Return(arrays[0]);
        pool.Return(arrays[1]);
        pool.Return(arrays[1]);

        Assert.Equal(1, pool.AssertBalanced().DoubleReturns);
        Assert.Equal(0, pool.GetStatistics().Surplus);
    }

    [Fact]
    public void The_empty_array_may_be_returned_any_number_of_times()
    {
        var empty = _pool.Rent(0);
        for (var i = 0; i < 5; i++)
        {
            _pool.Return(empty);
        }

        Assert.Equal(0, _pool.GetStatistics().DoubleReturns);
    }

    [Fact]
    public void A_sensitive_array_returned_twice_is_still_zero_for_the_next_user()
    {
        using var pool = Pools.Make<byte>(ClearPolicy.Sensitive);
        var array = pool.Rent(16);
        pool.Return(array);
        array[3] = 7;
        pool.Return(array);

        Assert.Equal(0, pool.Rent(16)[3]);
    }
}
