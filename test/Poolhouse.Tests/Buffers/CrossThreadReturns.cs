using System.Collections.Concurrent;

namespace Poolhouse.Tests.Buffers;

/// <summary>Buffers rented on one thread and returned on another.</summary>
public sealed class CrossThreadReturns
{
    private const int WarmUp = 5_000;
    private const int Measured = 100_000;

    private readonly TieredArrayPool<byte> _pool = Pools.Make<byte>();

    [Theory]
    [InlineData(64)]
    [InlineData(4096)]
    [InlineData(256 << 10)]
    public void Arrays_returned_on_another_thread_are_reused(int length) =>
        AssertHits(1, () => _pool.Rent(length), array => _pool.Return(array));

    [Fact]
    public void Arrays_of_leases_ended_on_another_thread_are_reused() =>
        AssertHits(1, () => _pool.RentExact(1000), lease => lease.Dispose());

    [Fact]
    public void Arrays_of_memory_owners_disposed_on_another_thread_are_reused()
    {
        using var memories = new TieredMemoryPool<byte>(_pool);
        AssertHits(1, () => memories.Rent(1000), owner => owner.Dispose());
    }

    [Fact]
    public void Several_renting_and_returning_threads_share_arrays() =>
        AssertHits(3, () => _pool.Rent(1000), array => _pool.Return(array));

    [Fact]
    public void Arrays_returned_by_an_ended_thread_serve_other_threads()
    {
        var arrays = _pool.RentMany(40, 1000);
        Threads.RunAlone(() => _pool.ReturnAll(arrays));

        Assert.Equal(arrays.ToHashSet(), _pool.RentMany(40, 1000).ToHashSet());
        Assert.Equal(40, _pool.AssertBalanced().Hits);
    }

    private void AssertHits<T>(int pairs, Func<T> rent, Action<T> giveBack)
    {
        HandOver(pairs, WarmUp, rent, giveBack);
        var warm = _pool.AssertBalanced();
        HandOver(pairs, Measured / pairs, rent, giveBack);
        var statistics = _pool.AssertBalanced();

        Assert.Equal(0, statistics.Leased);
        var share = (double)(statistics.Hits - warm.Hits) / (statistics.Rented - warm.Rented);
        Assert.InRange(share, 0.99, 1);
    }

    private static void HandOver<T>(int pairs, int count, Func<T> rent, Action<T> giveBack)
    {
        using var way = new BlockingCollection<T>(boundedCapacity: 16);
        var renting = pairs;
        Threads.Run(2 * pairs, number =>
        {
            if (number >= pairs)
            {
                foreach (var rented in way.GetConsumingEnumerable())
                {
                    giveBack(rented);
                }

                return;
            }

            for (var i = 0; i < count; i++)
            {
                way.Add(rent());
            }

            if (Interlocked.Decrement(ref renting) == 0)
            {
                way.CompleteAdding();
            }
        });
    }
}
