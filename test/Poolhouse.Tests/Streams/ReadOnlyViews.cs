using System.Buffers;
using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>Views of a stream; how each of their calls acts is in <see cref="Model.ReadOnlyModel"/>.</summary>
public sealed class ReadOnlyViews
{
    private readonly StreamPool _pool = StreamPools.Make();
    private readonly PooledStream _stream;

    public ReadOnlyViews() => _stream = _pool.RentWith(StreamPools.Bytes(300));

    public static TheoryData<Mode> All => Modes.All;

    [Fact]
    public void Views_and_their_stream_have_separate_positions()
    {
        _stream.Position = 50;
        using var first = _stream.AsReadOnly();
        using var second = _stream.AsReadOnly();
        Assert.Equal((0, 0), (first.Position, second.Position));
        first.Position = 100;
        second.Position = 200;

        Assert.Equal((51, 101, 201), (_stream.ReadByte(), first.ReadByte(), second.ReadByte()));
        Assert.Equal((51, 101, 201), (_stream.Position, first.Position, second.Position));
    }

    [Fact]
    public void Disposing_a_view_does_not_close_the_stream()
    {
        _stream.AsReadOnly().Dispose();

        Assert.Equal(StreamPools.Bytes(300), _stream.ToArray());
    }

    [Fact]
    public void Disposing_the_stream_ends_its_views()
    {
        using var view = _stream.AsReadOnly();
        _stream.Dispose();

        Assert.Throws<ObjectDisposedException>(() => view.Read(new byte[1]));
        Assert.Throws<ObjectDisposedException>(() => view.Position);
        Assert.Throws<ObjectDisposedException>(() => view.CopyTo(Stream.Null));
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task A_view_supports_every_way_to_read(Mode mode)
    {
        await using var view = _stream.AsReadOnly();
        var seen = new byte[301];
        var count = 0;
        for (int read; (read = await view.ReadAsync(mode, seen, count, Math.Min(33, seen.Length - count))) > 0; count += read)
        {
        }

        Assert.Equal(StreamPools.Bytes(300), seen[..count]);
    }

    [Fact]
    public void A_sequence_of_any_segments_can_be_read_as_a_stream()
    {
        var bytes = StreamPools.Bytes(100);
        ReadOnlySequence<byte>[] sequences =
        [
            new(bytes), Segments.Cut(bytes, 100), Segments.Cut(bytes, 0, 1, 0, 0, 98, 1, 0),
            Segments.Cut(bytes, [.. Enumerable.Repeat(1, 100)]),
        ];

        Assert.All(sequences, sequence =>
        {
            using var stream = new SequenceStream(sequence);
            using var copy = new MemoryStream();
            stream.CopyTo(copy);
            Assert.Equal(bytes, copy.ToArray());
            stream.Position = 50;
            Assert.Equal(bytes[50], stream.ReadByte());
        });
    }

    [Fact]
    public void An_empty_sequence_gives_an_empty_stream()
    {
        using var stream = new SequenceStream(default);

        Assert.Equal((0, -1), (stream.Length, stream.ReadByte()));
        stream.CopyTo(Stream.Null);
        stream.Position = 10;
        Assert.Equal(0, stream.Read(new byte[1]));
    }

    [Fact]
    public void A_slice_of_a_sequence_can_be_read_as_a_stream()
    {
        var part = Segments.Cut(StreamPools.Bytes(100), 30, 30, 40).Slice(25, 50);
        using var stream = new SequenceStream(part);
        var seen = new byte[50];
        stream.ReadExactly(seen);

        Assert.Equal(StreamPools.Bytes(100)[25..75], seen);
        Assert.Equal(50, stream.Length);
        stream.Seek(-50, SeekOrigin.End);
        Assert.Equal(26, stream.ReadByte());
    }

    [Fact]
    public void Several_threads_can_read_one_stream_at_once()
    {
        var content = StreamPools.Bytes(20_000);
        using var stream = _pool.RentWith(content);
        var views = Enumerable.Range(0, 4).Select(_ => stream.AsReadOnly()).ToList();
        Threads.Run(4, number =>
        {
            var random = new Random(number);
            var buffer = new byte[500];
            for (var round = 0; round < 2000; round++)
            {
                var position = random.Next(20_100);
                var expected = content.AsSpan(Math.Min(position, content.Length));
                expected = expected[..Math.Min(expected.Length, buffer.Length)];
                Assert.Equal(expected.Length, stream.ReadAt(position, buffer));
                Assert.True(buffer.AsSpan(0, expected.Length).SequenceEqual(expected));
                views[number].Position = position;
                Assert.Equal(expected.Length, views[number].Read(buffer));
                Assert.True(buffer.AsSpan(0, expected.Length).SequenceEqual(expected));
            }
        });
        Assert.Equal(content.Length, stream.Position);
    }

    [Theory]
    [InlineData(0, 10, 10)]
    [InlineData(290, 20, 10)]
    [InlineData(300, 5, 0)]
    [InlineData(1000, 5, 0)]
    [InlineData(long.MaxValue, 5, 0)]
    [InlineData(10, 0, 0)]
    public void A_positional_read_does_not_move_the_position(long position, int size, int expected)
    {
        _stream.Position = 7;
        var buffer = new byte[size];

        Assert.Equal(expected, _stream.ReadAt(position, buffer));
        Assert.Equal(7, _stream.Position);
        Assert.Equal(StreamPools.Bytes(expected, expected == 0 ? 0 : (int)position), buffer[..expected]);
    }

    [Fact]
    public void A_read_before_the_start_is_rejected() =>
        Assert.Throws<ArgumentOutOfRangeException>("position", () => _stream.ReadAt(-1, new byte[1]));
}
