using System.Buffers;
using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>A stream as a buffer writer; what its calls do to the content is in <see cref="Model.MemoryStreamModel"/>.</summary>
public sealed class BufferWriting
{
    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>();
    private readonly PooledStream _stream;

    public BufferWriting() => _stream = StreamPools.Make(_arrays).Rent();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(17)]
    [InlineData(1000)]
    [InlineData(100_000)]
    public void The_requested_space_is_always_available(int hint)
    {
        for (var i = 0; i < 20; i++)
        {
            Assert.InRange(_stream.GetMemory(hint).Length, Math.Max(1, hint), int.MaxValue);
            Assert.InRange(_stream.GetSpan(hint).Length, Math.Max(1, hint), int.MaxValue);
            _stream.Advance(Math.Min(hint, 5));
        }
    }

    [Fact]
    public void A_negative_hint_is_rejected() => Assert.All([-1, int.MinValue], hint =>
    {
        Assert.Throws<ArgumentOutOfRangeException>("sizeHint", () => _stream.GetMemory(hint));
        Assert.Throws<ArgumentOutOfRangeException>("sizeHint", () => { _stream.GetSpan(hint); });
    });

    [Fact]
    public void A_negative_advance_is_rejected() =>
        Assert.Throws<ArgumentOutOfRangeException>("count", () => _stream.Advance(-1));

    [Fact]
    public void Before_the_end_a_writer_without_a_size_hint_is_offered_as_much_as_by_a_new_stream()
    {
        using var pool = StreamPools.Make(_arrays, first: 1024, max: 1024);
        using var stream = pool.RentWith(StreamPools.Bytes(100));
        foreach (var position in (long[])[0, 50, 200])
        {
            stream.Position = position;
            Assert.InRange(stream.GetSpan().Length, 1024, int.MaxValue);
        }
    }

    [Fact]
    public void Before_the_end_no_more_is_offered_than_MaxLength_allows()
    {
        using var pool = StreamPools.Make(_arrays, change: options => options.MaxLength = 100);
        using var stream = pool.RentWith(StreamPools.Bytes(100));
        stream.Position = 95;
        Assert.Equal(5, stream.GetSpan().Length);
        stream.GetSpan()[..5].Fill(9);
        stream.Advance(5);

        Assert.Equal([.. StreamPools.Bytes(95), 9, 9, 9, 9, 9], stream.ToArray());
    }

    [Fact]
    public void Reading_up_to_the_offered_span_does_not_move_it()
    {
        using var pool = StreamPools.Make(_arrays, 64, 2048);
        using var stream = pool.RentWith(StreamPools.Bytes(66));
        StreamPools.Bytes(100).CopyTo(stream.GetSpan(127));
        stream.Position = 62;
        Assert.Equal(4, stream.Read(new byte[5]));
        stream.Advance(100);

        Assert.Equal([.. StreamPools.Bytes(66), .. StreamPools.Bytes(100)], stream.ToArray());
    }

    [Fact]
    public void Before_the_end_advancing_in_two_steps_keeps_both_parts()
    {
        _stream.Write(StreamPools.Bytes(100));
        _stream.Position = 40;
        StreamPools.Bytes(80).CopyTo(_stream.GetSpan(80));
        _stream.Advance(35);
        _stream.Advance(45);

        Assert.Equal([.. StreamPools.Bytes(40), .. StreamPools.Bytes(80)], _stream.ToArray());
    }

    [Fact]
    public void An_advance_without_an_offered_span_is_rejected()
    {
        Assert.Throws<InvalidOperationException>(() => _stream.Advance(1));
        _stream.Advance(0);

        Assert.Equal((0, 0), (_stream.Length, _stream.Position));
    }

    [Fact]
    public void An_advance_beyond_the_offered_span_is_rejected_and_the_span_stays_usable()
    {
        var room = _stream.GetSpan(10);
        room.Fill(7);
        var length = room.Length;
        Assert.Throws<InvalidOperationException>(() => _stream.Advance(length + 1));
        _stream.Advance(3);
        Assert.Throws<InvalidOperationException>(() => _stream.Advance(length - 2));

        Assert.Equal([7, 7, 7], _stream.ToArray());
    }

    [Fact]
    public void Advancing_in_two_steps_keeps_both_parts()
    {
        StreamPools.Bytes(10).CopyTo(_stream.GetSpan(10));
        _stream.Advance(4);
        _stream.Advance(6);

        Assert.Equal(StreamPools.Bytes(10), _stream.ToArray());
    }

    [Fact]
    public void Writing_in_the_middle_replaces_only_the_advanced_bytes()
    {
        _stream.Write(StreamPools.Bytes(100));
        _stream.Position = 40;
        _stream.GetSpan(30).Fill(9);
        _stream.Advance(5);

        Assert.Equal([.. StreamPools.Bytes(40), 9, 9, 9, 9, 9, .. StreamPools.Bytes(100)[45..]], _stream.ToArray());
        Assert.Equal(45, _stream.Position);
    }

    [Fact]
    public void An_offered_span_without_an_advance_changes_nothing()
    {
        _stream.Write(StreamPools.Bytes(100));
        foreach (var position in (long[])[0, 50, 100, 200])
        {
            _stream.Position = position;
            _stream.GetSpan(30).Fill(9);
        }

        Assert.Equal(StreamPools.Bytes(100), _stream.ToArray());
        _stream.Dispose();
        Assert.Equal(0, _arrays.AssertBalanced().Leased);
    }

    [Fact]
    public void An_offered_span_is_revoked_by_a_seek_a_write_or_a_change_of_length()
    {
        Assert.All(
            (Action[])[
                () => _stream.Position = 5, () => _stream.WriteByte(1), () => _stream.SetLength(0),
                () => _stream.Seek(0, SeekOrigin.Begin),
            ],
            change =>
            {
                _stream.SetLength(0);
                _stream.Write(StreamPools.Bytes(100));
                _stream.GetSpan(30).Fill(9);
                change();
                var (length, position) = (_stream.Length, _stream.Position);
                var content = _stream.ToArray();

                var error = Record.Exception(() => _stream.Advance(30));
                Assert.IsType<InvalidOperationException>(error);
                Assert.Equal((length, position), (_stream.Length, _stream.Position));
                Assert.Equal(content, _stream.ToArray());
            });
    }

    [Theory]
    [InlineData(5)]
    [InlineData(0)]
    public void Before_the_end_an_offered_span_is_revoked_by_every_write_and_move(int position) => Assert.All(
        (Action<PooledStream>[])[
            stream => stream.Write([1, 2, 3, 4]),
            stream => stream.Write([1, 2]),
            stream => stream.WriteByte(1),
            stream => stream.SetLength(10),
            stream => Assert.Equal(2, stream.Read(new byte[2])),
            stream => stream.ReadByte(),
            stream => stream.Position = position + 1,
            stream => stream.Seek(1, SeekOrigin.Current),
            stream => stream.CopyTo(Stream.Null),
            stream => { stream.Position = 10; stream.Write([1, 2, 3]); },
        ],
        change =>
        {
            using var pool = StreamPools.Make(_arrays, first: 64);
            using var stream = pool.RentWith(StreamPools.Bytes(10));
            stream.Position = position;
            stream.GetMemory(4).Span.Fill(9);
            change(stream);
            stream.Position = position;

            AssertRefusesToAdvance(stream, 4);
        });

    [Fact]
    public void Before_the_end_the_rest_of_an_offered_span_is_revoked_by_a_write()
    {
        using var pool = StreamPools.Make(_arrays, first: 64);
        using var stream = pool.RentWith(StreamPools.Bytes(30));
        stream.Position = 5;
        stream.GetMemory(8).Span.Fill(9);
        stream.Advance(4);
        stream.Write([1, 2, 3, 4]);
        stream.Position = 9;

        AssertRefusesToAdvance(stream, 4);
    }

    [Fact]
    public void A_span_offered_at_the_end_whose_block_was_replaced_is_revoked_by_a_write()
    {
        _stream.Write(StreamPools.Bytes(10));
        _stream.GetMemory(4).Span.Fill(9);
        _ = _stream.GetBuffer();
        _stream.Write([1, 2, 3, 4]);
        _stream.Position = 10;

        AssertRefusesToAdvance(_stream, 4);
    }

    [Fact]
    public void Before_the_end_an_offered_span_stays_valid_while_nothing_is_written_and_the_position_stays()
    {
        using var pool = StreamPools.Make(_arrays, first: 64);
        using var stream = pool.RentWith(StreamPools.Bytes(10));
        stream.Position = 5;
        stream.GetMemory(4).Span.Fill(9);
        stream.Position = 5;
        Assert.Equal(0, stream.Read([]));
        Assert.Equal(10, stream.ReadAt(0, new byte[20]));
        stream.Capacity = 200;
        stream.Capacity = 10;
        _ = stream.GetBuffer();
        _ = stream.WrittenSequence;
        stream.Advance(4);

        Assert.Equal([1, 2, 3, 4, 5, 9, 9, 9, 9, 10], stream.ToArray());
        Assert.Equal(10, stream.ReadByte());
    }

    [Fact]
    public void Text_and_json_can_be_written_straight_into_it()
    {
        using (var json = new System.Text.Json.Utf8JsonWriter((IBufferWriter<byte>)_stream))
        {
            json.WriteStartArray();
            for (var i = 0; i < 1000; i++)
            {
                json.WriteNumberValue(i);
            }

            json.WriteEndArray();
        }

        _stream.Write("x"u8);
        Assert.Equal($"[{string.Join(',', Enumerable.Range(0, 1000))}]x", System.Text.Encoding.UTF8.GetString(_stream.ToArray()));
    }

    private static void AssertRefusesToAdvance(PooledStream stream, int count)
    {
        var (length, position, content) = (stream.Length, stream.Position, stream.ToArray());

        Assert.Throws<InvalidOperationException>(() => stream.Advance(count));
        Assert.Equal((length, position), (stream.Length, stream.Position));
        Assert.Equal(content, stream.ToArray());
    }
}
