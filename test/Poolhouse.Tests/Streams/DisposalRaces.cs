using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>Two threads dispose the same stream at the same moment.</summary>
[Collection(nameof(Alone))]
public sealed class DisposalRaces
{
    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>();
    private readonly Rounds _rounds = new(10_000);

    [Fact]
    public void Each_block_of_a_stream_is_returned_once()
    {
        using var pool = StreamPools.Make(_arrays);
        Race(() => pool.RentWith(StreamPools.Bytes(100)), stream => stream.Dispose());

        AssertEachBlockWasReturnedOnce();
        Assert.Equal(0, pool.AssertBalanced().Leased);
        Assert.Equal(_rounds.Count, pool.GetStatistics().Returned);
    }

    [Fact]
    public void Each_block_of_a_detached_buffer_is_returned_once()
    {
        using var pool = StreamPools.Make(_arrays);
        Race(() => pool.RentWith(StreamPools.Bytes(100)).DetachBuffer(), buffer => buffer.Dispose());

        AssertEachBlockWasReturnedOnce();
    }

    [Fact]
    public void A_disposal_concurrent_with_a_detach_returns_each_block_once()
    {
        using var pool = StreamPools.Make(_arrays);
        var stream = pool.Rent();
        Meet(
            () => stream = pool.RentWith(StreamPools.Bytes(100)),
            number =>
            {
                if (number == 0)
                {
                    stream.Dispose();
                    return;
                }

                try
                {
                    stream.DetachBuffer().Dispose();
                }
                catch (ObjectDisposedException)
                {
                    // The other was first.
                }
            });

        AssertEachBlockWasReturnedOnce();
    }

    private void Race<T>(Func<T> make, Action<T> end)
        where T : notnull
    {
        var subject = default(T);
        Meet(() => subject = make(), _ => end(subject!));
    }

    private void Meet(Action prepare, Action<int> end)
    {
        var start = new SpinBarrier();
        var finish = new SpinBarrier();
        var failures = new Exception?[2];
        Threads.Run(2, number =>
        {
            for (var round = 0; round < _rounds.Count; round++)
            {
                if (number == 0)
                {
                    _rounds.EndIfLate(round);
                    prepare();
                }

                start.Wait();
                Thread.SpinWait(round % (number == 0 ? 5 : 7));

                // Kept until the end: if a thread left, the other would wait forever.
                failures[number] ??= Record.Exception(() => end(number));
                finish.Wait();
            }
        });
        Assert.All(failures, Assert.Null);
    }

    private void AssertEachBlockWasReturnedOnce()
    {
        var statistics = _arrays.AssertBalanced();
        Assert.Equal((0, 0), (statistics.Leased, statistics.DoubleReturns));
        Assert.InRange(statistics.Rented, _rounds.Count, long.MaxValue);
        Assert.Equal(statistics.Rented, statistics.Returned);

        // No array is in the pool twice.
        var all = Enumerable.Range(4, 4).SelectMany(power => _arrays.RentMany(100, 1 << power)).ToList();
        Assert.Equal(all.Count, all.Distinct(ReferenceEqualityComparer.Instance).Count());
    }
}
