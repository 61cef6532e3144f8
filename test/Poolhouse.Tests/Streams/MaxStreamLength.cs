
namespace Poolhouse.Tests.Streams;

/// <summary>The maximum length of the streams of a pool.</summary>
public sealed class MaxStreamLength
{
    private const int Longest = 100;

    private readonly PooledStream _stream = StreamPools.Make(change: options => options.MaxLength = Longest).Rent("orders");

    public static TheoryData<Mode> All => Modes.All;

    [Theory]
    [MemberData(nameof(All))]
    public async Task A_write_up_to_the_limit_succeeds_and_one_beyond_changes_nothing(Mode mode)
    {
        await _stream.WriteAsync(mode, StreamPools.Bytes(Longest), 0, Longest);
        Assert.Equal((Longest, Longest), (_stream.Length, _stream.Position));
        var error = await Assert.ThrowsAsync<IOException>(() => _stream.WriteAsync(mode, [1], 0, 1));

        Assert.Contains("MaxLength", error.Message, StringComparison.Ordinal);
        Assert.Contains("orders", error.Message, StringComparison.Ordinal);
        Assert.Equal((Longest, Longest), (_stream.Length, _stream.Position));
        Assert.Equal(StreamPools.Bytes(Longest), _stream.ToArray());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(99)]
    [InlineData(100)]
    public void A_write_across_the_limit_writes_nothing(int position)
    {
        _stream.Position = position;

        Assert.Throws<IOException>(() => _stream.Write(new byte[Longest + 1 - position]));
        Assert.Equal((0, position), (_stream.Length, _stream.Position));
    }

    [Fact]
    public void A_length_beyond_the_limit_is_rejected()
    {
        _stream.SetLength(Longest);

        Assert.Throws<ArgumentOutOfRangeException>("value", () => _stream.SetLength(Longest + 1));
        Assert.Throws<ArgumentOutOfRangeException>("value", () => _stream.Capacity = Longest + 1);
        Assert.Equal(Longest, _stream.Length);
    }

    [Fact]
    public void The_capacity_never_exceeds_the_limit_and_can_be_set_to_itself()
    {
        _stream.Write(StreamPools.Bytes(Longest));
        Assert.Equal(Longest, _stream.Capacity);
        _stream.Capacity = _stream.Capacity;

        Assert.Equal(StreamPools.Bytes(Longest), _stream.ToArray());
    }

    [Fact]
    public void The_space_offered_to_a_writer_ends_at_the_limit()
    {
        _stream.Write(StreamPools.Bytes(90));
        Assert.Throws<IOException>(() => { _stream.GetSpan(11); });
        _stream.GetSpan(10)[..10].Fill(9);
        _stream.Advance(10);

        Assert.Equal(Longest, _stream.Length);
        Assert.Throws<IOException>(() => { _stream.GetSpan(); });
        Assert.Equal(Longest, _stream.ToArray().Length);
    }

    [Fact]
    public void A_writer_cannot_advance_beyond_the_limit()
    {
        _stream.Write(StreamPools.Bytes(90));
        var room = _stream.GetSpan(10).Length;
        if (room > 10)
        {
            Assert.ThrowsAny<Exception>(() => _stream.Advance(room));
        }

        Assert.InRange(_stream.Length, 0, Longest);
    }

    [Theory]
    [InlineData(Longest + 1)]
    [InlineData(1L << 40)]
    [InlineData((1L << 62) + 1)]
    public void A_position_beyond_the_limit_is_allowed_until_a_write(long position)
    {
        _stream.Position = position;
        Assert.Equal(-1, _stream.ReadByte());

        Assert.Throws<IOException>(() => _stream.WriteByte(1));
        Assert.Throws<IOException>(() => _stream.Write([]));
        Assert.Throws<IOException>(() => { _stream.GetSpan(1); });
        Assert.Equal((0, position), (_stream.Length, _stream.Position));
    }
}
