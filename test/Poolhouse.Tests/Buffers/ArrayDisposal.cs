
namespace Poolhouse.Tests.Buffers;

public sealed class ArrayDisposal
{
    [Fact]
    public void The_shared_pool_survives_a_container_that_disposes_it()
    {
        TieredArrayPool<Guid>.Shared.Dispose();
        ((IDisposable)TieredArrayPool<Guid>.Shared).Dispose();
        var array = TieredArrayPool<Guid>.Shared.Rent(100);
        TieredArrayPool<Guid>.Shared.Return(array);

        Assert.Same(array, TieredArrayPool<Guid>.Shared.Rent(100));
        TieredArrayPool<Guid>.Shared.Return(array);
    }

    private const int MaxRents = 100_000_000;

    private readonly TieredArrayPool<byte> _pool = Pools.Make<byte>();

    [Fact]
    public void A_disposed_pool_refuses_to_rent()
    {
        _pool.Return(_pool.Rent(100));
        _pool.RentExact(100).Dispose();
        _pool.Dispose();

        Assert.All(
            new Action[]
            {
                () => _pool.Rent(100),
                () => _pool.Rent(1 << 20),
                () => _pool.Rent((1 << 30) + 1),
                () => _pool.RentExact(0),
                () => _pool.RentExact(100),
                () => new PooledBufferWriter<byte>(16, _pool),
            },
            rent => Assert.Contains(_pool.Name, Assert.Throws<ObjectDisposedException>(rent).Message, StringComparison.Ordinal));
    }

    [Fact]
    public void A_disposed_pool_still_reports_an_invalid_length_first() =>
        Assert.Throws<ArgumentOutOfRangeException>(() =>
        {
            _pool.Dispose();
            _pool.Rent(-1);
        });

    [Fact]
    public void Disposal_drops_what_is_retained()
    {
        _pool.ReturnAll(_pool.RentMany(40, 100));
        _pool.RentExact(5000).Dispose();
        _pool.Dispose();

        var statistics = _pool.AssertBalanced();
        Assert.Equal(0, statistics.RetainedBytes);
        Assert.Equal(41, statistics.Trimmed);
    }

    [Fact]
    public void Arrays_returned_after_disposal_are_dropped()
    {
        var seen = _pool.Rent(100);
        var unseen = _pool.Rent(5000);
        var lease = _pool.RentExact(100);
        _pool.Return(_pool.Rent(100));
        _pool.Dispose();
        _pool.Return(seen);
        _pool.Return(unseen);
        lease.Dispose();

        var statistics = _pool.AssertBalanced();
        Assert.Equal(0, statistics.Retained);
        Assert.Equal(0, statistics.Leased);
        Assert.Equal(3, statistics.Surplus);
    }

    [Fact]
    public void A_lease_outlives_its_pool()
    {
        var lease = _pool.RentExact(3);
        _pool.Dispose();
        lease.Span.Fill(7);

        Assert.True(lease.IsActive);
        Assert.Equal([7, 7, 7], lease.Detach().ToArray());
    }

    [Fact]
    public void Disposing_again_does_nothing()
    {
        _pool.Return(_pool.Rent(100));
        _pool.Dispose();
        var before = _pool.GetStatistics().ToString();
        _pool.Dispose();

        Assert.Equal(before, _pool.GetStatistics().ToString());
        Assert.Equal(0, _pool.Trim());
    }

    [Fact]
    public void A_pool_disposed_while_threads_use_it_retains_nothing()
    {
        for (var round = 0; round < 200; round++)
        {
            var pool = Pools.Make<byte>();
            Threads.Run(3, number =>
            {
                if (number == 0)
                {
                    pool.Dispose();
                }
                else
                {
                    UseUntilDisposed(pool);
                }
            });

            var statistics = pool.AssertBalanced();
            Assert.Equal(0, statistics.Retained);
            Assert.Equal(0, statistics.Leased);
        }
    }

    private static void UseUntilDisposed(TieredArrayPool<byte> pool)
    {
        try
        {
            for (var i = 0; i < MaxRents; i++)
            {
                var array = pool.Rent(100);
                try
                {
                    pool.RentExact(1000).Dispose();
                }
                finally
                {
                    pool.Return(array);
                }
            }

            Assert.Fail("The disposed pool still rents.");
        }
        catch (ObjectDisposedException)
        {
            // Expected: the pool was disposed.
        }
    }
}
