
namespace Poolhouse.Tests.Buffers;

public sealed class BufferStatistics
{
    private readonly TieredArrayPool<byte> _pool = Pools.Make<byte>();

    [Fact]
    public void A_new_pool_reports_zeros() => Assert.Equal("No activity.", _pool.GetStatistics().ToString());

    [Fact]
    public void Each_counter_counts_its_events()
    {
        _pool.Return(_pool.Rent(100));
        _pool.Return(_pool.Rent(100));
        _pool.RentExact(100).Dispose();
        _pool.RentExact(100).Discard();
        _pool.RentExact(5000).Detach();
        _pool.Rent(16);

        var statistics = _pool.AssertBalanced();
        Assert.Equal(6, statistics.Rented);
        Assert.Equal(3, statistics.Hits);
        Assert.Equal(3, statistics.Misses);
        Assert.Equal(3, statistics.Created);
        Assert.Equal(3, statistics.Returned);
        Assert.Equal(1, statistics.Discarded);
        Assert.Equal(1, statistics.Detached);
        Assert.Equal(1, statistics.Leased);
        Assert.Equal(0, statistics.Retained);
    }

    [Fact]
    public void Nested_rents_hit_when_enough_arrays_were_returned_before()
    {
        for (var round = 0; round < 3; round++)
        {
            _pool.ReturnAll(_pool.RentMany(100, 1000));
        }

        var statistics = _pool.AssertBalanced();
        Assert.Equal((100, 200), (statistics.Misses, statistics.Hits));
        Assert.Equal(100 * 1024, statistics.RetainedBytes);
    }

    [Fact]
    public void The_peak_is_the_maximum_over_all_snapshots()
    {
        var arrays = _pool.RentMany(10, 100);
        Assert.Equal(10, _pool.GetStatistics().PeakLive);
        _pool.ReturnAll(arrays);
        _pool.Trim();
        _pool.Rent(100);

        Assert.Equal(10, _pool.AssertBalanced().PeakLive);
    }

    [Fact]
    public void The_peak_is_updated_before_a_trim()
    {
        _pool.ReturnAll(_pool.RentMany(10, 100));
        _pool.Trim();

        Assert.Equal(10, _pool.GetStatistics().PeakLive);
    }

    [Fact]
    public void The_peak_is_updated_at_every_64th_creation_of_a_thread()
    {
        using var keepsNothing = Pools.Make<byte>(budget: 0);
        keepsNothing.ReturnAll(keepsNothing.RentMany(1000, 100));

        Assert.InRange(keepsNothing.GetStatistics().PeakLive, 1000 - 64, 1000);
    }

    [Fact]
    public void Statistics_and_trim_work_on_a_disposed_pool()
    {
        _pool.Return(_pool.Rent(100));
        _pool.Dispose();

        Assert.Equal(0, _pool.Trim());
        Assert.Equal((1, 1), (_pool.GetStatistics().Created, _pool.GetStatistics().Destroyed));
    }
}
