using System.Buffers;
using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams.Blocks;

/// <summary>Detaching the content transfers its ownership to the caller.</summary>
public sealed class DetachedBuffers
{
    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>();
    private readonly StreamPool _pool;

    public DetachedBuffers() => _pool = StreamPools.Make(_arrays);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(1000)]
    public void The_content_belongs_to_the_caller_and_the_stream_is_disposed(int length)
    {
        var stream = _pool.RentWith(StreamPools.Bytes(length));
        var rented = _arrays.GetStatistics().Rented;
        using var buffer = stream.DetachBuffer();

        Assert.Equal(length, buffer.Length);
        Assert.Equal(StreamPools.Bytes(length), buffer.Sequence.ToArray());
        Assert.Equal(rented, _arrays.GetStatistics().Rented);
        Assert.False(stream.CanRead);
        Assert.Throws<ObjectDisposedException>(() => stream.ToArray());
        Assert.Throws<ObjectDisposedException>(() => stream.DetachBuffer());
    }

    [Fact]
    public void Its_blocks_are_returned_once_when_it_is_disposed()
    {
        var buffer = _pool.RentWith(StreamPools.Bytes(1000)).DetachBuffer();
        Assert.InRange(_arrays.GetStatistics().Leased, 1, long.MaxValue);
        Assert.Equal(0, _pool.GetStatistics().Leased);
        buffer.Dispose();
        buffer.Dispose();

        var statistics = _arrays.AssertBalanced();
        Assert.Equal((0, 0, statistics.Rented), (statistics.Leased, statistics.DoubleReturns, statistics.Returned));
        Assert.Throws<ObjectDisposedException>(() => buffer.Sequence);
    }

    [Fact]
    public void Later_streams_do_not_affect_it()
    {
        using var buffer = _pool.RentWith(StreamPools.Bytes(1000)).DetachBuffer();
        for (var i = 0; i < 10; i++)
        {
            using var next = _pool.RentWith(StreamPools.Bytes(2000, 77));
            Assert.Equal(2000, next.Length);
        }

        Assert.Equal(StreamPools.Bytes(1000), buffer.Sequence.ToArray());
    }

    [Fact]
    public void Space_offered_to_a_writer_is_returned_with_the_stream()
    {
        var stream = _pool.RentWith(StreamPools.Bytes(100));
        stream.Position = 50;
        stream.GetSpan(20).Fill(7);
        stream.DetachBuffer().Dispose();

        Assert.Equal(0, _arrays.AssertBalanced().Leased);
    }

    [Fact]
    public void It_can_be_read_as_a_stream()
    {
        using var buffer = _pool.RentWith(StreamPools.Bytes(1000)).DetachBuffer();
        using var stream = new SequenceStream(buffer.Sequence);
        using var copy = new MemoryStream();
        stream.CopyTo(copy);

        Assert.Equal(StreamPools.Bytes(1000), copy.ToArray());
    }

    [Fact]
    public void It_outlives_its_pool()
    {
        var buffer = _pool.RentWith(StreamPools.Bytes(1000)).DetachBuffer();
        _pool.Dispose();
        _arrays.Dispose();

        Assert.Equal(StreamPools.Bytes(1000), buffer.Sequence.ToArray());
        buffer.Dispose();
        Assert.Equal((0, 0), (_arrays.AssertBalanced().Leased, _arrays.GetStatistics().Retained));
    }
}
