using Poolhouse.Buffers;
using Poolhouse.Streams;
using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>A disposed stream that somebody kept never reaches what belongs to others now (I12).</summary>
public sealed class StaleStreams
{
    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>();
    private readonly StreamPool _pool;

    public StaleStreams() => _pool = StreamPools.Make(_arrays);

    [Fact]
    public void A_disposed_stream_neither_reads_nor_changes_the_next_one()
    {
        var stale = _pool.RentWith(StreamPools.Bytes(100));
        stale.Dispose();
        using var next = _pool.RentWith(StreamPools.Bytes(100, 50));
        Assert.Equal(1, _pool.GetStatistics().Hits);

        Assert.Throws<ObjectDisposedException>(() => stale.Position = 0);
        Assert.Throws<ObjectDisposedException>(() => stale.WriteByte(9));
        Assert.Throws<ObjectDisposedException>(() => stale.ReadByte());
        Assert.Throws<ObjectDisposedException>(() => stale.ToArray());
        Assert.Throws<ObjectDisposedException>(() => stale.DetachBuffer());
        stale.Dispose();

        Assert.Equal(StreamPools.Bytes(100, 50), next.ToArray());
        Assert.Equal(1, _pool.GetStatistics().Leased);
    }

    [Fact]
    public void A_stream_rented_after_a_lease_has_a_face_of_its_own()
    {
        var lease = _pool.RentLease();
        var face = lease.Stream;
        lease.Dispose();
        using var stream = _pool.RentWith([1, 2, 3]);

        Assert.NotSame(face, stream);
        Assert.Throws<ObjectDisposedException>(() => face.WriteByte(9));
        Assert.Equal([1, 2, 3], stream.ToArray());
    }

    [Fact]
    public void A_view_of_a_disposed_stream_reads_nothing_of_the_next()
    {
        var stale = _pool.RentWith(StreamPools.Bytes(100));
        using var view = stale.AsReadOnly();
        stale.Dispose();
        using var next = _pool.RentWith(StreamPools.Bytes(100, 50));

        Assert.Throws<ObjectDisposedException>(() => view.ReadByte());
        Assert.Throws<ObjectDisposedException>(() => view.Length);
    }

    [Fact]
    public async Task A_pipe_over_a_disposed_stream_reads_and_writes_nothing_of_the_next()
    {
        var stale = _pool.RentWith(StreamPools.Bytes(100));
        var reader = stale.AsPipeReader();
        var writer = stale.AsPipeWriter();
        await stale.DisposeAsync();
        await using var next = _pool.RentWith(StreamPools.Bytes(100, 50));

        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await reader.ReadAsync(TestContext.Current.CancellationToken));
        Assert.Throws<ObjectDisposedException>(() => writer.GetMemory());
        Assert.Equal(StreamPools.Bytes(100, 50), next.ToArray());
    }

    [Fact]
    public void Blocks_that_a_buffer_writer_was_given_go_back_once()
    {
        var stream = _pool.RentWith(StreamPools.Bytes(100));
        stream.Position = 50;
        stream.GetSpan(200).Fill(7);
        stream.Dispose();

        Assert.Equal((0, 0), (_arrays.AssertBooksAddUp().Leased, _arrays.GetStatistics().DoubleReturns));
    }

    [Fact]
    public void A_sensitive_pool_gets_its_blocks_back_as_zeros()
    {
        using var arrays = Pools.Make<byte>(ClearPolicy.Sensitive);
        using var pool = StreamPools.Make(arrays);
        var seen = new List<byte[]>();
        using (var stream = pool.RentWith(StreamPools.Bytes(1000)))
        {
            foreach (var piece in stream.WrittenSequence)
            {
                Assert.True(System.Runtime.InteropServices.MemoryMarshal.TryGetArray(piece, out var segment));
                seen.Add(segment.Array!);
            }

            stream.Position = 500;
            stream.GetSpan(100).Fill(7);
            seen.Add(stream.GetBuffer());
        }

        Assert.InRange(seen.Count, 5, int.MaxValue);
        Assert.All(seen, array => Assert.Equal(-1, array.AsSpan().IndexOfAnyExcept((byte)0)));
    }

    [Fact]
    public void A_sensitive_pool_is_zero_also_behind_a_detached_buffer()
    {
        using var arrays = Pools.Make<byte>(ClearPolicy.Sensitive);
        using var pool = StreamPools.Make(arrays);
        var buffer = pool.RentWith(StreamPools.Bytes(1000)).DetachBuffer();
        var pieces = new List<ReadOnlyMemory<byte>>();
        foreach (var piece in buffer.Sequence)
        {
            pieces.Add(piece);
        }

        buffer.Dispose();

        Assert.All(pieces, piece => Assert.Equal(-1, piece.Span.IndexOfAnyExcept((byte)0)));
    }
}
