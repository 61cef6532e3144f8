
namespace Poolhouse.Tests.Streams;

public sealed class Seeking
{
    private const int Length = 200;

    private readonly PooledStream _stream = StreamPools.Make().RentWith(StreamPools.Bytes(Length));

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(Length)]
    [InlineData(Length + 1)]
    [InlineData(Length * 10)]
    public void All_three_origins_reach_the_same_position(long place)
    {
        Assert.Equal(place, _stream.Seek(place, SeekOrigin.Begin));
        Assert.Equal(place, _stream.Position);
        _stream.Position = 30;
        Assert.Equal(place, _stream.Seek(place - 30, SeekOrigin.Current));
        Assert.Equal(place, _stream.Position);
        Assert.Equal(place, _stream.Seek(place - Length, SeekOrigin.End));
        Assert.Equal(place, _stream.Position);
        Assert.Equal(Length, _stream.Length);
    }

    [Fact]
    public void A_seek_by_zero_returns_the_position()
    {
        _stream.Position = 77;

        Assert.Equal(77, _stream.Seek(0, SeekOrigin.Current));
    }

    [Theory]
    [InlineData(-1, SeekOrigin.Begin)]
    [InlineData(-31, SeekOrigin.Current)]
    [InlineData(-Length - 1, SeekOrigin.End)]
    [InlineData(long.MinValue, SeekOrigin.Begin)]
    [InlineData(long.MinValue, SeekOrigin.Current)]
    [InlineData(long.MinValue, SeekOrigin.End)]
    public void A_seek_before_the_start_fails_and_moves_nothing(long offset, SeekOrigin origin)
    {
        _stream.Position = 30;

        Assert.Throws<IOException>(() => _stream.Seek(offset, origin));
        Assert.Equal(30, _stream.Position);
    }

    [Fact]
    public void A_seek_with_an_invalid_origin_fails() => Assert.Throws<ArgumentException>(() => _stream.Seek(0, (SeekOrigin)3));

    [Theory]
    [InlineData(long.MaxValue, SeekOrigin.Current)]
    [InlineData(long.MaxValue, SeekOrigin.End)]
    public void A_seek_beyond_the_range_of_positions_fails_and_moves_nothing(long offset, SeekOrigin origin)
    {
        _stream.Position = 30;

        Assert.Throws<ArgumentOutOfRangeException>(nameof(offset), () => _stream.Seek(offset, origin));
        Assert.Equal(30, _stream.Position);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    public void An_invalid_position_is_rejected(long value)
    {
        _stream.Position = 30;

        Assert.Throws<ArgumentOutOfRangeException>(nameof(value), () => _stream.Position = value);
        Assert.Equal(30, _stream.Position);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    [InlineData(long.MaxValue)]
    public void An_invalid_length_is_rejected(long value)
    {
        Assert.Throws<ArgumentOutOfRangeException>(nameof(value), () => _stream.SetLength(value));
        Assert.Equal((Length, Length), (_stream.Length, _stream.Position));
    }

    [Fact]
    public void Shortening_the_stream_moves_the_position_to_the_end_and_extending_does_not()
    {
        _stream.SetLength(50);
        Assert.Equal(50, _stream.Position);
        _stream.SetLength(500);
        Assert.Equal(50, _stream.Position);
        _stream.Position = 700;
        _stream.SetLength(600);
        Assert.Equal(600, _stream.Position);
    }

    [Theory]
    [InlineData(int.MaxValue + 1L)]
    [InlineData(1L << 32)]
    [InlineData((1L << 33) + 50)]
    [InlineData(long.MaxValue)]
    public void A_position_may_be_any_non_negative_number(long place)
    {
        _stream.Position = place;
        Assert.Equal(place, _stream.Position);
        Assert.Equal((-1, 0), (_stream.ReadByte(), _stream.Read(new byte[500])));
        Assert.Equal(place, _stream.Seek(place, SeekOrigin.Begin));
        using var view = _stream.AsReadOnly();
        view.Position = place;
        Assert.Equal((-1, 0), (view.ReadByte(), view.Read(new byte[500])));
        _stream.Position = 0;

        Assert.Equal(1, _stream.ReadByte());
    }

    [Fact]
    public void Setting_the_position_does_not_extend_the_stream()
    {
        _stream.Position = 1000;
        Assert.Equal(-1, _stream.ReadByte());

        Assert.Equal(Length, _stream.Length);
    }
}
