using System.Buffers;
using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams;

public sealed class WrittenSequences
{
    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>();
    private readonly StreamPool _pool;

    public WrittenSequences() => _pool = StreamPools.Make(_arrays);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16)]
    public void The_content_of_one_block_is_one_segment(int length)
    {
        using var stream = _pool.RentWith(StreamPools.Bytes(length));
        var sequence = stream.WrittenSequence;

        Assert.True(sequence.IsSingleSegment);
        Assert.Equal(StreamPools.Bytes(length), sequence.ToArray());
    }

    [Theory]
    [InlineData(17)]
    [InlineData(32)]
    [InlineData(1000)]
    public void The_content_of_many_blocks_is_many_segments_and_not_copied(int length)
    {
        using var stream = _pool.Rent();
        foreach (var value in StreamPools.Bytes(length))
        {
            stream.WriteByte(value);
        }

        var rented = _arrays.GetStatistics().Rented;
        var sequence = stream.WrittenSequence;

        Assert.False(sequence.IsSingleSegment);
        Assert.Equal(StreamPools.Bytes(length), sequence.ToArray());
        Assert.Equal(rented, _arrays.GetStatistics().Rented);
    }

    [Fact]
    public void It_is_the_whole_content_at_any_position()
    {
        using var stream = _pool.RentWith(StreamPools.Bytes(100));
        foreach (var position in (long[])[0, 50, 100, 1000])
        {
            stream.Position = position;

            Assert.Equal(StreamPools.Bytes(100), stream.WrittenSequence.ToArray());
            Assert.Equal(position, stream.Position);
        }
    }

    [Fact]
    public void After_each_change_it_shows_the_new_content()
    {
        using var stream = _pool.Rent();
        var expected = new List<byte>();
        for (var i = 0; i < 200; i++)
        {
            stream.WriteByte((byte)i);
            expected.Add((byte)i);
            Assert.Equal(expected, stream.WrittenSequence.ToArray());
        }

        for (var length = 199; length >= 0; length -= 7)
        {
            stream.SetLength(length);
            Assert.Equal(expected[..length], stream.WrittenSequence.ToArray());
        }
    }

    [Fact]
    public void A_position_in_it_can_be_reached_from_both_ends()
    {
        using var stream = _pool.RentWith(StreamPools.Bytes(1000));
        var sequence = stream.WrittenSequence;
        for (var start = 0; start <= 1000; start += 13)
        {
            Assert.Equal(1000 - start, sequence.Slice(start).Length);
            Assert.Equal(StreamPools.Bytes(1000)[..start], sequence.Slice(0, sequence.GetPosition(start)).ToArray());
            Assert.Equal(start, sequence.GetOffset(sequence.GetPosition(start)) - sequence.GetOffset(sequence.Start));
        }
    }

    [Fact]
    public void The_segments_have_the_configured_sizes()
    {
        using var stream = _pool.Rent();
        for (var i = 0; i < 500; i++)
        {
            stream.WriteByte(1);
        }

        var sizes = new List<int>();
        foreach (var piece in stream.WrittenSequence)
        {
            sizes.Add(piece.Length);
        }

        Assert.Equal(16, sizes[0]);
        Assert.All(sizes, size => Assert.InRange(size, 1, StreamPools.MaxBlock));
        Assert.Equal(500, sizes.Sum());
    }
}
