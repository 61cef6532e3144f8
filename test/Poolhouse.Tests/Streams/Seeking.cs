
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
    public void The_same_place_has_three_names(long place)
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
    public void A_seek_by_nothing_tells_the_position()
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
    public void A_seek_before_the_begin_fails_and_moves_nothing(long offset, SeekOrigin origin)
    {
        _stream.Position = 30;

        Assert.Throws<IOException>(() => _stream.Seek(offset, origin));
        Assert.Equal(30, _stream.Position);
    }

    [Fact]
    public void A_seek_from_nowhere_fails() => Assert.Throws<ArgumentException>(() => _stream.Seek(0, (SeekOrigin)3));

    [Theory]
    [InlineData(long.MaxValue, SeekOrigin.Current)]
    [InlineData(long.MaxValue, SeekOrigin.End)]
    public void A_seek_farther_than_a_position_can_be_fails_and_moves_nothing(long offset, SeekOrigin origin)
    {
        _stream.Position = 30;

        Assert.Throws<ArgumentOutOfRangeException>(nameof(offset), () => _stream.Seek(offset, origin));
        Assert.Equal(30, _stream.Position);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    public void A_position_that_no_stream_can_have_is_refused(long value)
    {
        _stream.Position = 30;

        Assert.Throws<ArgumentOutOfRangeException>(nameof(value), () => _stream.Position = value);
        Assert.Equal(30, _stream.Position);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    [InlineData(long.MaxValue)]
    public void A_length_that_no_stream_can_have_is_refused(long value)
    {
        Assert.Throws<ArgumentOutOfRangeException>(nameof(value), () => _stream.SetLength(value));
        Assert.Equal((Length, Length), (_stream.Length, _stream.Position));
    }

    [Fact]
    public void A_shorter_length_takes_the_position_along_and_a_longer_one_does_not()
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
    public void A_position_may_be_as_far_as_a_number_goes_because_streams_are_longer_than_memory_streams(long place)
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
    public void The_position_alone_makes_no_stream_longer()
    {
        _stream.Position = 1000;
        Assert.Equal(-1, _stream.ReadByte());

        Assert.Equal(Length, _stream.Length);
    }
}
