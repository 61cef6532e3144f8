using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>The methods named like those of Microsoft.IO's RecyclableMemoryStreamManager.</summary>
public sealed class RecyclableMemoryStreamNames
{
    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>();
    private readonly StreamPool _pool;

    public RecyclableMemoryStreamNames() => _pool = StreamPools.Make(_arrays, change: options => options.MaxLength = 10_000);

    [Fact]
    public void An_empty_stream_with_or_without_a_tag()
    {
        using var plain = _pool.GetStream();
        using var tagged = _pool.GetStream("orders");

        Assert.Equal((null, 0, 0), (plain.Tag, plain.Length, plain.Position));
        Assert.Equal(("orders", 0, 0), (tagged.Tag, tagged.Length, tagged.Position));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(5000)]
    [InlineData(10_000)]
    public void A_stream_with_a_capacity(long size)
    {
        using var stream = _pool.GetStream("orders", size);
        Assert.Equal(0, stream.Length);
        Assert.InRange(stream.Capacity, size, long.MaxValue);
        var rented = _arrays.GetStatistics().Rented;
        stream.Write(new byte[size]);

        Assert.Equal(rented, _arrays.GetStatistics().Rented);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(5000)]
    public void A_stream_with_a_contiguous_capacity(int size)
    {
        using var stream = _pool.GetStream("orders", size, asContiguousBuffer: true);
        Assert.Equal((0, 0), (stream.Length, stream.Position));
        stream.Write(StreamPools.Bytes(size));

        Assert.True(stream.WrittenSequence.IsSingleSegment);
        Assert.Equal(StreamPools.Bytes(size), stream.ToArray());
    }

    [Fact]
    public void A_stream_without_a_size_starts_in_its_first_block_like_a_rented_one()
    {
        using var pool = StreamPools.Make(_arrays, first: 1024, max: 4096);
        foreach (var stream in (PooledStream[])[pool.Rent(), pool.GetStream(), pool.GetStream("orders"),
            pool.GetStream("orders", 10)])
        {
            Assert.Equal(1024, stream.Capacity);
            var rented = _arrays.GetStatistics().Rented;
            for (var i = 0; i < 1000; i++)
            {
                stream.WriteByte(1);
            }

            Assert.Equal(rented, _arrays.GetStatistics().Rented);
            stream.Dispose();
        }
    }

    [Fact]
    public void A_stream_whose_capacity_was_set_to_zero_starts_again_with_a_first_block()
    {
        using var pool = StreamPools.Make(_arrays, first: 1024, max: 4096);
        using var stream = pool.Rent();
        stream.Capacity = 0;
        var rented = _arrays.GetStatistics().Rented;
        for (var i = 0; i < 1000; i++)
        {
            stream.WriteByte(1);
        }

        // Its own first block.
        Assert.Equal((1024L, rented), (stream.Capacity, _arrays.GetStatistics().Rented));
    }

    [Fact]
    public void A_contiguous_capacity_cannot_be_advanced_over()
    {
        _arrays.FillWithBytes();
        using var stream = _pool.GetStream("orders", 100, asContiguousBuffer: true);

        Assert.Throws<InvalidOperationException>(() => stream.Advance(1));
        Assert.Equal(0, stream.Length);
    }

    [Fact]
    public void A_stream_with_a_copy_of_some_bytes()
    {
        var bytes = StreamPools.Bytes(300);
        PooledStream[] streams =
        [
            _pool.GetStream(bytes), _pool.GetStream(bytes.AsSpan()), _pool.GetStream("orders", bytes.AsSpan()),
            _pool.GetStream("orders", bytes, 0, bytes.Length),
        ];
        Array.Clear(bytes);

        Assert.All(streams, stream =>
        {
            Assert.Equal(0, stream.Position);
            Assert.Equal(StreamPools.Bytes(300), stream.ToArray());
            stream.Dispose();
        });
        using var part = _pool.GetStream("orders", StreamPools.Bytes(300), 100, 50);
        Assert.Equal(StreamPools.Bytes(50, 100), part.ToArray());
        Assert.Equal("orders", part.Tag);
    }

    [Fact]
    public void Invalid_arguments_are_rejected_and_rent_nothing()
    {
        Assert.Throws<ArgumentNullException>("pool", () => ((StreamPool)null!).GetStream());
        Assert.Throws<ArgumentNullException>("pool", () => ((StreamPool)null!).GetStream(new byte[1]));
        Assert.Throws<ArgumentNullException>("buffer", () => _pool.GetStream((byte[])null!));
        Assert.Throws<ArgumentNullException>("buffer", () => _pool.GetStream("orders", null!, 0, 0));
        Assert.ThrowsAny<ArgumentException>(() => _pool.GetStream("orders", new byte[5], 3, 3));
        Assert.ThrowsAny<ArgumentException>(() => _pool.GetStream("orders", new byte[5], -1, 3));
        Assert.Throws<ArgumentOutOfRangeException>("requiredSize", () => _pool.GetStream("orders", -1));
        Assert.Throws<ArgumentOutOfRangeException>("requiredSize", () => _pool.GetStream("orders", 10_001));
        Assert.Throws<IOException>(() => _pool.GetStream(new byte[10_001]));

        Assert.Equal((0, 0), (_pool.GetStatistics().Leased, _arrays.GetStatistics().Leased));
    }
}
