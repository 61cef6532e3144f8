using System.Buffers;
using System.Runtime.InteropServices;
using Poolhouse.Streams.Blocks;
using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams.Blocks;

/// <summary>A reference to a disposed stream never reaches memory of its next user (I12).</summary>
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

    // A thread that reads the stream while another one disposes it may have found the body before.
    [Fact]
    public void A_read_that_found_the_body_before_the_disposal_returns_nothing_of_the_next_stream()
    {
        var stale = _pool.RentWith(StreamPools.Bytes(100));
        var body = stale.Body;
        stale.Dispose();
        using var next = _pool.RentWith(StreamPools.Bytes(100, 50));
        Assert.Same(body, next.Body);

        Assert.Throws<ObjectDisposedException>(() => body.CopyOut(stale, 0, new byte[10]));
        Assert.Throws<ObjectDisposedException>(() => body.PieceAt(stale, 0, 10));
        Assert.Throws<ObjectDisposedException>(() => body.ToSequence(stale));
        Assert.Equal(StreamPools.Bytes(100, 50), next.ToArray());
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

    // The stream ends while the read is copying: what was copied may be the content of the next user, or the segments may refer
    // to nothing any longer.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_read_of_a_view_during_which_its_stream_ends_returns_nothing(bool unlinks)
    {
        var source = _pool.RentWith(StreamPools.Bytes(100));
        var (first, last) = (new BlockSegment(), new BlockSegment());
        using var memory = new WatchedMemory(StreamPools.Bytes(50, 50), () =>
        {
            source.Dispose();
            if (unlinks)
            {
                first.Set(default, 0, next: null);
            }
        });
        last.Set(StreamPools.Bytes(50, 50), 50, next: null);
        first.Set(memory.Whole, 0, last);
        using var view = new SequenceStream(new ReadOnlySequence<byte>(first, 0, last, 50), source);

        Assert.Throws<ObjectDisposedException>(() => view.Read(new byte[unlinks ? 100 : 50]));
        Assert.Throws<ObjectDisposedException>(() => view.Length);
    }

    [Fact]
    public async Task The_task_of_a_read_is_not_shared_with_the_next_stream()
    {
        var tasks = new HashSet<Task<int>>(ReferenceEqualityComparer.Instance);
        for (var round = 0; round < 2; round++)
        {
            await using (var stream = _pool.RentWith(StreamPools.Bytes(100)))
            {
                stream.Position = 0;
                tasks.Add(stream.ReadAsync(new byte[100], 0, 100, TestContext.Current.CancellationToken));
            }
        }

        Assert.Equal(1, _pool.GetStatistics().Hits);
        Assert.Equal(2, tasks.Count);
        Assert.All(await Task.WhenAll(tasks), count => Assert.Equal(100, count));
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
    public void Blocks_offered_to_a_buffer_writer_are_returned_once()
    {
        var stream = _pool.RentWith(StreamPools.Bytes(100));
        stream.Position = 50;
        stream.GetSpan(200).Fill(7);
        stream.Dispose();

        Assert.Equal((0, 0), (_arrays.AssertBalanced().Leased, _arrays.GetStatistics().DoubleReturns));
    }

    [Theory]
    [InlineData(5, 1)]
    [InlineData(16, 16)]
    [InlineData(1000, 1)]
    [InlineData(1000, 1000)]
    public void A_sensitive_pool_clears_its_blocks(int length, int chunk)
    {
        using var arrays = Pools.Make<byte>(ClearPolicy.Sensitive);
        using var pool = StreamPools.Make(arrays);
        var seen = new List<byte[]>();
        using (var stream = pool.Rent())
        {
            Fill(stream, length, chunk);
            AddArrays(seen, stream.WrittenSequence);
            stream.Position = length / 2;
            stream.GetSpan(100).Fill(7);
            seen.Add(stream.GetBuffer());
        }

        AssertZero(seen);
    }

    [Theory]
    [InlineData(5, 1)]
    [InlineData(1000, 1)]
    [InlineData(1000, 1000)]
    public void A_sensitive_pool_clears_the_blocks_of_a_detached_buffer(int length, int chunk)
    {
        using var arrays = Pools.Make<byte>(ClearPolicy.Sensitive);
        using var pool = StreamPools.Make(arrays);
        var stream = pool.Rent();
        Fill(stream, length, chunk);
        var buffer = stream.DetachBuffer();
        var seen = new List<byte[]>();
        AddArrays(seen, buffer.Sequence);
        buffer.Dispose();

        AssertZero(seen);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(10)]
    [InlineData(40)]
    public void A_sensitive_pool_clears_truncated_content(int left)
    {
        using var arrays = Pools.Make<byte>(ClearPolicy.Sensitive);
        using var pool = StreamPools.Make(arrays);
        using var stream = pool.Rent();
        Fill(stream, 1000, 1);
        var seen = new List<byte[]>();
        AddArrays(seen, stream.WrittenSequence);
        stream.SetLength(left);
        stream.Capacity = left;
        stream.Dispose();

        AssertZero(seen);
    }

    private static void Fill(PooledStream stream, int length, int chunk)
    {
        var bytes = StreamPools.Bytes(length);
        for (var start = 0; start < length; start += chunk)
        {
            stream.Write(bytes, start, Math.Min(chunk, length - start));
        }
    }

    private static void AddArrays(List<byte[]> seen, ReadOnlySequence<byte> sequence)
    {
        foreach (var piece in sequence)
        {
            Assert.True(MemoryMarshal.TryGetArray(piece, out var segment));
            seen.Add(segment.Array!);
        }
    }

    private static void AssertZero(IEnumerable<byte[]> arrays) =>
        Assert.All(arrays, array => Assert.Equal(-1, array.AsSpan().IndexOfAnyExcept((byte)0)));

    /// <summary>Memory that calls back whenever its bytes are requested.</summary>
    private sealed class WatchedMemory(byte[] bytes, Action onRead) : MemoryManager<byte>
    {
        public Memory<byte> Whole => CreateMemory(bytes.Length);

        public override Span<byte> GetSpan()
        {
            onRead();
            return bytes;
        }

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
        }
    }
}
