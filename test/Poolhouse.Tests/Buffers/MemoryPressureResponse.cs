
namespace Poolhouse.Tests.Buffers;

public sealed class MemoryPressureResponse
{
    private readonly MemoryPressureSource _memory = new();
    private readonly TieredArrayPool<byte> _pool;

    public MemoryPressureResponse()
    {
        var options = Pools.Options();
        options.MemoryPressure = _memory;
        _pool = new TieredArrayPool<byte>(options);
    }

    [Fact]
    public void At_low_pressure_nothing_is_dropped()
    {
        _pool.ReturnAll(_pool.RentMany(10, 100));
        for (var report = 0; report < 10; report++)
        {
            _memory.Report(MemoryPressure.Low);
        }

        Assert.Equal(10, Retained);
    }

    [Fact]
    public void At_medium_pressure_arrays_idle_since_the_last_check_are_dropped()
    {
        var hot = _pool.Rent(1000);
        _pool.Return(hot);
        _pool.ReturnAll(_pool.RentMany(10, 100));
        _pool.RentExact(5000).Dispose();
        _memory.Report(MemoryPressure.Medium);
        Assert.Equal(12, Retained);

        Assert.Same(hot, _pool.Rent(1000));
        _pool.Return(hot);
        _memory.Report(MemoryPressure.Medium);

        Assert.Equal(1, Retained);
        Assert.Same(hot, _pool.Rent(1000));
        Assert.Equal(11, _pool.AssertBalanced().Trimmed);
    }

    // Memory may have run short.
    [Fact]
    public void At_high_pressure_arrays_are_dropped_without_memory_for_each()
    {
        _pool.ReturnAll(_pool.RentMany(20_000, 16));
        Assert.Equal(20_000, Retained);
        var before = GC.GetAllocatedBytesForCurrentThread();

        _memory.Report(MemoryPressure.High);

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 20_000);
        Assert.Equal(0, Retained);
    }

    [Fact]
    public void At_high_pressure_everything_is_dropped_at_once_on_all_threads()
    {
        _pool.ReturnAll(_pool.RentMany(10, 100));
        Threads.RunAlone(() => _pool.ReturnAll(_pool.RentMany(5, 1 << 16)));
        _pool.RentExact(5000).Dispose();
        _memory.Report(MemoryPressure.High);

        var statistics = _pool.AssertBalanced();
        Assert.Equal(0, statistics.Retained);
        Assert.Equal(16, statistics.Trimmed);
    }

    [Fact]
    public void The_pool_keeps_working_after_high_pressure()
    {
        _pool.Return(_pool.Rent(100));
        _memory.Report(MemoryPressure.High);
        var array = _pool.Rent(100);
        _pool.Return(array);

        Assert.Same(array, _pool.Rent(100));
    }

    [Fact]
    public void Only_the_pools_of_the_source_respond()
    {
        using var other = Pools.Make<byte>();
        other.Return(other.Rent(100));
        _memory.Report(MemoryPressure.High);

        Assert.Equal(1, other.GetStatistics().Retained);
    }

    private long Retained => _pool.GetStatistics().Retained;
}
