using System.Buffers;
using System.Text.Json;
using Poolhouse.Tests.Buffers;
using Poolhouse.Tests.Streams.Model;

namespace Poolhouse.Tests.Streams.Blocks;

/// <summary>
/// Nothing that a stream has shown or offered is another user's memory before the stream is disposed, and what it shows
/// stays as it is until the next write, change of length or disposal (I31).
/// </summary>
public sealed class MemoryIsolation
{
    private readonly TieredArrayPool<byte> _arrays;
    private readonly StreamPool _pool;
    private readonly PooledStream _stream;
    private readonly Neighbors _neighbors;

    public MemoryIsolation()
    {
        _arrays = Pools.Make<byte>();
        _arrays.FillWithBytes(Neighbors.Mark);
        _pool = StreamPools.Make(_arrays, 16, 4096);
        _stream = _pool.Rent();
        _neighbors = new Neighbors(_arrays, _pool);
    }

    public enum Inspection
    {
        GetBuffer,
        TryGetBuffer,
        WrittenSequence,
        AsReadOnly,
        ToArray,
        ReadAt,
        MoreCapacity,
        LessCapacity,
        PipeRead,
    }

    public enum Change
    {
        SetLength,
        SetLengthAndCapacity,
        Write,
        LongWrite,
        Position,
        GetMemory,
        Detach,
    }

    public static TheoryData<Inspection> Inspections => [.. Enum.GetValues<Inspection>()];

    public static TheoryData<Change> Changes => [.. Enum.GetValues<Change>()];

    [Theory]
    [MemberData(nameof(Inspections))]
    public void An_offered_span_stays_valid_while_the_stream_does_not_change(Inspection inspection)
    {
        foreach (var before in (int[])[0, 1, 15, 16, 17, 100])
        {
            foreach (var atEnd in (bool[])[true, false])
            {
                using var stream = _pool.RentWith(StreamPools.Bytes(before));
                stream.Position = atEnd ? before : before / 2;
                var at = (int)stream.Position;
                var offer = stream.GetMemory(40);
                Inspect(inspection, stream);
                _neighbors.MoveIn();
                StreamPools.Bytes(40).CopyTo(offer);
                stream.Advance(40);

                byte[] all =
                    [.. StreamPools.Bytes(before)[..at], .. StreamPools.Bytes(40), .. StreamPools.Bytes(before).Skip(at + 40)];
                Assert.Equal(all, stream.ToArray());
                Assert.Equal(at + 40, stream.Position);
                _neighbors.MoveOut();
            }
        }
    }

    [Theory]
    [MemberData(nameof(Changes))]
    public void Offered_memory_has_no_other_user_until_the_stream_is_disposed(Change change)
    {
        foreach (var before in (int[])[0, 10, 16, 100])
        {
            foreach (var atEnd in (bool[])[true, false])
            {
                using var stream = _pool.RentWith(StreamPools.Bytes(before));
                stream.Position = atEnd ? before : before / 2;
                var offer = stream.GetMemory(40);
                using var detached = DoChange(change, stream);
                _neighbors.MoveIn();
                offer.Span.Fill(9);

                _neighbors.MoveOut();
            }
        }
    }

    [Theory]
    [InlineData(Change.SetLength)]
    [InlineData(Change.SetLengthAndCapacity)]
    [InlineData(Change.Write)]
    [InlineData(Change.LongWrite)]
    public void A_change_revokes_an_offered_span(Change change)
    {
        foreach (var before in (int[])[0, 10, 16, 100])
        {
            using var stream = _pool.RentWith(StreamPools.Bytes(before));
            stream.GetMemory(40).Span.Fill(9);
            using var none = DoChange(change, stream);
            var (content, capacity) = (stream.ToArray(), stream.Capacity);
            foreach (var position in (long[])[stream.Position, before, 0, stream.Length])
            {
                stream.Position = position;
                if (stream.Length == before && position == before)
                {
                    continue;
                }

                Assert.Throws<InvalidOperationException>(() => stream.Advance(4));
                Assert.Equal((content.Length, position, capacity), (stream.Length, stream.Position, stream.Capacity));
                Assert.Equal(content, stream.ToArray());
            }
        }
    }

    [Fact]
    public void A_gap_after_a_revoked_span_is_zero()
    {
        _stream.Write([5, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
        _stream.GetMemory(4).Span.Fill(9);
        _stream.SetLength(3);
        _stream.Position = 10;

        Assert.Throws<InvalidOperationException>(() => _stream.Advance(4));
        _stream.WriteByte(7);
        Assert.Equal([5, 5, 5, 0, 0, 0, 0, 0, 0, 0, 7], _stream.ToArray());
    }

    [Fact]
    public void An_earlier_offered_span_does_not_undo_a_write()
    {
        _stream.Write(StreamPools.Bytes(5));
        _stream.GetMemory(4).Span.Fill(9);
        _stream.Write([1, 2, 3, 4]);
        _stream.Position = 5;

        Assert.Throws<InvalidOperationException>(() => _stream.Advance(4));
        Assert.Equal([.. StreamPools.Bytes(5), 1, 2, 3, 4], _stream.ToArray());
    }

    [Fact]
    public void A_json_writer_continues_after_GetBuffer()
    {
        using (var json = new Utf8JsonWriter((IBufferWriter<byte>)_stream))
        {
            json.WriteStartArray();
            for (var i = 0; i < 500; i++)
            {
                json.WriteNumberValue(i);
                if (i % 7 == 0)
                {
                    Assert.True(_stream.TryGetBuffer(out _));
                    _neighbors.MoveIn();
                }

                if (i % 21 == 0)
                {
                    json.Flush();
                    _neighbors.MoveOut();
                }
            }

            json.WriteEndArray();
        }

        Assert.Equal($"[{string.Join(',', Enumerable.Range(0, 500))}]", System.Text.Encoding.UTF8.GetString(_stream.ToArray()));
        _neighbors.MoveOut();
    }

    [Theory]
    [InlineData(10)]
    [InlineData(100)]
    [InlineData(3000)]
    public void Exposed_memory_stays_valid_until_the_next_change(int length)
    {
        for (var i = 0; i < length; i++)
        {
            _stream.WriteByte(StreamPools.Bytes(length)[i]);
        }

        var sequence = _stream.WrittenSequence;
        using var view = _stream.AsReadOnly();
        _stream.Position = 0;
        var reader = _stream.AsPipeReader();
        Assert.True(reader.TryRead(out var read));
        var buffer = _stream.GetBuffer();
        Assert.True(_stream.TryGetBuffer(out var segment));
        _stream.Capacity = 5000;
        _stream.Position = length;
        _stream.GetSpan(4096).Fill(0xDD);
        var again = _stream.GetBuffer();
        _stream.Capacity = length;
        _neighbors.MoveIn();

        Assert.Equal(StreamPools.Bytes(length), sequence.ToArray());
        var seen = new byte[length];
        view.ReadExactly(seen);
        Assert.Equal(StreamPools.Bytes(length), seen);
        Assert.Equal(StreamPools.Bytes(length), read.Buffer.ToArray());
        Assert.Equal(StreamPools.Bytes(length), segment.ToArray());
        Assert.Equal(StreamPools.Bytes(length), again[..length]);
        Neighbors.AssertNothingOfThemIn(buffer, "The buffer");
        _neighbors.MoveOut();
    }

    [Fact]
    public void Exposed_memory_of_a_sensitive_pool_stays_valid_until_the_next_change()
    {
        using var arrays = Pools.Make<byte>(ClearPolicy.Sensitive);
        using var pool = StreamPools.Make(arrays);
        using var stream = pool.Rent();
        for (var i = 0; i < 200; i++)
        {
            stream.WriteByte(StreamPools.Bytes(200)[i]);
        }

        var sequence = stream.WrittenSequence;
        _ = stream.GetBuffer();

        Assert.Equal(StreamPools.Bytes(200), sequence.ToArray());
    }

    [Fact]
    public void The_buffer_never_shows_content_of_an_earlier_user_of_its_array()
    {
        _stream.Write(StreamPools.Bytes(4000));
        Neighbors.AssertNothingOfThemIn(_stream.GetBuffer(), "The first buffer");
        _stream.SetLength(0);
        _stream.Capacity = 0;
        _neighbors.MoveIn();
        _neighbors.MoveOut();
        _stream.Write(StreamPools.Bytes(4000));

        Neighbors.AssertNothingOfThemIn(_stream.GetBuffer(), "The second buffer");
    }

    [Fact]
    public void The_buffer_of_an_empty_stream_is_exclusive_until_it_is_written()
    {
        _stream.Capacity = 1000;
        var buffer = _stream.GetBuffer();
        _stream.Capacity = 0;
        _ = _stream.GetMemory(5000);
        _neighbors.MoveIn();

        Array.Fill<byte>(buffer, 9);
        _neighbors.MoveOut();
    }

    [Theory]
    [InlineData(0, 100_000)]
    [InlineData(10, 100_000)]
    [InlineData(5000, 5000)]
    [InlineData(5000, 70_000)]
    public void The_buffer_is_as_long_as_the_capacity(int length, int capacity)
    {
        _stream.Write(StreamPools.Bytes(length));
        _stream.Capacity = capacity;
        var before = _stream.Capacity;
        var buffer = _stream.GetBuffer();

        Assert.InRange(_stream.Capacity, before, long.MaxValue);
        Assert.Equal(_stream.Capacity, buffer.Length);
        Assert.Equal(StreamPools.Bytes(length), buffer[..length]);
    }

    [Fact]
    public void A_copy_overtaken_by_a_shorter_length_sends_no_foreign_bytes()
    {
        _stream.Write(StreamPools.Bytes(200));
        _stream.Position = 0;
        using var destination = new CallingStream(() =>
        {
            _stream.SetLength(3);
            _stream.Capacity = 3;
            _stream.Capacity = 1000;
        });
        _stream.CopyTo(destination);

        Neighbors.AssertNothingOfThemIn(destination.ToArray(), "The copy");
    }

    [Fact]
    public void A_reused_stream_does_not_accumulate_memory()
    {
        for (var round = 0; round < 200; round++)
        {
            _stream.Write(StreamPools.Bytes(round % 2 == 0 ? 12 : 8));
            _stream.GetSpan(400).Fill(9);
            _stream.Advance(400);
            _stream.Position = 5;
            _stream.GetSpan(30).Fill(8);
            _stream.Advance(30);
            Assert.InRange(_stream.GetBuffer().Length, 400, 4096);
            _stream.SetLength(0);
            if (round % 3 == 0)
            {
                _stream.Capacity = 0;
            }
        }

        Assert.InRange(_arrays.GetStatistics().Leased, 0, 12);
        _stream.Dispose();
        Assert.Equal(0, _arrays.AssertBalanced().Leased);
    }

    [Theory]
    [InlineData(10, 0)]
    [InlineData(10, 5)]
    [InlineData(10, 10)]
    public void Capacity_that_comes_and_goes_accumulates_no_memory_after_memory_was_offered(int offered, int advanced)
    {
        var memory = _stream.GetMemory(offered);
        _stream.Advance(advanced);
        for (var round = 0; round < 200; round++)
        {
            _stream.Capacity = 100_000;
            _stream.Capacity = _stream.Length;
        }

        // The blocks of one round.
        Assert.InRange(_arrays.GetStatistics().Leased, 0, 30);
        _neighbors.MoveIn();
        memory.Span[advanced..offered].Fill(7);
        _stream.Advance(offered - advanced);
        Assert.Equal(Enumerable.Repeat((byte)7, offered - advanced), _stream.ToArray()[advanced..]);
        _neighbors.MoveOut();
    }

    [Fact]
    public void Capacity_that_comes_and_goes_accumulates_no_memory_after_an_offer_that_is_over()
    {
        _stream.GetSpan(1)[0] = 1;
        _stream.Advance(1);
        _stream.SetLength(0);
        for (var round = 0; round < 200; round++)
        {
            _stream.Capacity = 100_000;
            _stream.Capacity = 0;
        }

        // The blocks of one round.
        Assert.InRange(_arrays.GetStatistics().Leased, 0, 30);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Offers_that_are_taken_out_of_the_content_accumulate_no_memory(bool shows)
    {
        _stream.Write(StreamPools.Bytes(1024));
        var sequence = shows ? _stream.WrittenSequence : default;
        AssertAccumulatesNothing(() =>
        {
            _stream.GetSpan(1)[0] = 9;
            _stream.Capacity = _stream.Length;
        });

        AssertStaysValid(sequence);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Offers_that_a_move_revokes_accumulate_no_memory(bool shows)
    {
        _stream.Write(StreamPools.Bytes(1024));
        var sequence = shows ? _stream.WrittenSequence : default;
        AssertAccumulatesNothing(() =>
        {
            _stream.GetSpan(1)[0] = 9;
            _stream.Capacity = _stream.Length;
            _stream.Position = 0;
            _stream.Position = _stream.Length;
        });

        AssertStaysValid(sequence);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Offers_of_changing_size_accumulate_no_memory(bool shows)
    {
        _stream.Write(StreamPools.Bytes(1024));
        var sequence = shows ? _stream.WrittenSequence : default;
        AssertAccumulatesNothing(() =>
        {
            _stream.GetSpan(100)[0] = 9;
            _stream.GetSpan(5000)[0] = 9;
            _stream.Capacity = _stream.Length;
            _stream.Position = 5;
            _stream.GetSpan(100)[0] = 9;
            _stream.Position = _stream.Length;
        });

        AssertStaysValid(sequence);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Capacity_that_comes_and_goes_between_offers_accumulates_no_memory(int advanced)
    {
        _stream.Write(StreamPools.Bytes(2000));
        AssertAccumulatesNothing(() =>
        {
            _stream.GetSpan(1)[0] = 9;
            _stream.Advance(advanced);
            _stream.Capacity = _stream.Length + 100_000;
            _stream.Capacity = _stream.Length;
        });
    }

    [Fact]
    public void The_rest_of_an_offer_stays_valid_while_other_memory_is_reused()
    {
        _stream.Write(StreamPools.Bytes(1024));
        for (var round = 0; round < 10; round++)
        {
            _stream.GetSpan(100)[0] = 9;
            _stream.Capacity = _stream.Length;
        }

        var offer = _stream.GetMemory(100);
        StreamPools.Bytes(100, 1024).CopyTo(offer);
        _stream.Capacity = _stream.Length;
        _stream.Advance(40);
        _stream.Capacity = 50_000;
        _stream.Capacity = _stream.Length;
        _neighbors.MoveIn();
        _stream.Advance(60);

        Assert.Equal(StreamPools.Bytes(1124), _stream.ToArray());
        offer.Span.Fill(7);
        _neighbors.MoveOut();
    }

    [Fact]
    public void Capacity_that_comes_and_goes_accumulates_no_memory_after_content_was_exposed()
    {
        foreach (var value in StreamPools.Bytes(1000))
        {
            _stream.WriteByte(value);
        }

        Assert.Equal(1000, _stream.WrittenSequence.Length);
        _stream.SetLength(100);
        var sequence = _stream.WrittenSequence;
        for (var round = 0; round < 200; round++)
        {
            _stream.Capacity = 100_000;
            _stream.Capacity = _stream.Length;
        }

        // The blocks of one round, and those of the content before it was shortened.
        Assert.InRange(_arrays.GetStatistics().Leased, 0, 36);
        _neighbors.MoveIn();
        Assert.Equal(StreamPools.Bytes(100), sequence.ToArray());
        _neighbors.MoveOut();
    }

    [Fact]
    public void A_block_that_was_exposed_and_reused_has_no_other_user_until_the_stream_is_disposed()
    {
        _stream.Write(StreamPools.Bytes(4096));
        var exposed = _stream.GetBuffer();
        _stream.SetLength(0);
        _stream.Capacity = 0;

        // It becomes a block of the content again, of which nothing was exposed since.
        _stream.Capacity = 100_000;
        _stream.Capacity = 0;
        _neighbors.MoveIn();

        Array.Fill<byte>(exposed, 9);
        _neighbors.MoveOut();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_buffer_that_cannot_be_created_keeps_an_offer_that_a_write_revokes(bool tries)
    {
        using var arrays = Pools.Make<byte>();
        using var pool = StreamPools.Make(arrays);
        using var stream = pool.Rent();
        foreach (var value in StreamPools.Bytes(20))
        {
            stream.WriteByte(value);
        }

        stream.GetMemory(4).Span.Fill(9);
        arrays.Dispose();
        Assert.Throws<ObjectDisposedException>(() => tries ? stream.TryGetBuffer(out _) : stream.GetBuffer().Length > 0);
        stream.Write([1, 2, 3, 4]);
        stream.Position = 20;

        Assert.Throws<InvalidOperationException>(() => stream.Advance(8));
        Assert.Equal([.. StreamPools.Bytes(20), 1, 2, 3, 4], stream.ToArray());
    }

    private void AssertAccumulatesNothing(Action round)
    {
        for (var count = 0; count < 200; count++)
        {
            round();
        }

        // The blocks of one round.
        Assert.InRange(_arrays.GetStatistics().Leased, 0, 30);
    }

    private void AssertStaysValid(ReadOnlySequence<byte> sequence)
    {
        _neighbors.MoveIn();
        Assert.Equal(StreamPools.Bytes((int)sequence.Length), sequence.ToArray());
        _neighbors.MoveOut();
    }

    private static void Inspect(Inspection inspection, PooledStream stream)
    {
        switch (inspection)
        {
            case Inspection.GetBuffer:
                Neighbors.AssertNothingOfThemIn(stream.GetBuffer().AsSpan(0, (int)stream.Length), inspection.ToString());
                break;
            case Inspection.TryGetBuffer:
                Assert.True(stream.TryGetBuffer(out _));
                break;
            case Inspection.WrittenSequence:
                Assert.Equal(stream.Length, stream.WrittenSequence.Length);
                break;
            case Inspection.AsReadOnly:
                stream.AsReadOnly().CopyTo(Stream.Null);
                break;
            case Inspection.ToArray:
                Assert.Equal(stream.Length, stream.ToArray().Length);
                break;
            case Inspection.ReadAt:
                Assert.Equal(Math.Min(stream.Length, 5), stream.ReadAt(0, new byte[5]));
                break;
            case Inspection.MoreCapacity:
                stream.Capacity += 100;
                break;
            case Inspection.LessCapacity:
                stream.Capacity = stream.Length;
                break;
            default:
                _ = stream.AsPipeReader().TryRead(out _);
                break;
        }
    }

    private static PooledSequence? DoChange(Change change, PooledStream stream)
    {
        switch (change)
        {
            case Change.SetLength:
                stream.SetLength(stream.Length / 2);
                stream.SetLength((stream.Length * 3) + 1);
                return null;
            case Change.SetLengthAndCapacity:
                stream.SetLength((stream.Length / 2) + 3);
                stream.Capacity = stream.Length;
                return null;
            case Change.Write:
                stream.Write([1, 2, 3]);
                return null;
            case Change.LongWrite:
                stream.Write(StreamPools.Bytes(700));
                return null;
            case Change.Position:
                stream.Position = 1;
                return null;
            case Change.GetMemory:
                _ = stream.GetMemory(1000);
                return null;
            default:
                return stream.DetachBuffer();
        }
    }

    /// <summary>A destination that runs something in the middle of each write.</summary>
    private sealed class CallingStream(Action call) : MemoryStream
    {
        public override void Write(byte[] buffer, int offset, int count)
        {
            base.Write(buffer, offset, count);
            call();
        }
    }
}
