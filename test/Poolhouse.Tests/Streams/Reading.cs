using System.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>The rules of reading, in each of the ways to read.</summary>
public sealed class Reading
{
    private const byte Untouched = 0xEE;
    private const int Length = 300;

    private readonly StreamPool _pool = StreamPools.Make();
    private readonly byte[] _content = StreamPools.Bytes(Length);

    public static TheoryData<Mode> All => Modes.All;

    public static TheoryData<Mode, Mode> Pairs => Modes.Pairs;

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Bytes_written_in_any_way_can_be_read_in_any_way(Mode writing, Mode reading)
    {
        foreach (var chunk in (int[])[1, 15, 16, 17, 100, Length])
        {
            await using var stream = _pool.Rent();
            for (var start = 0; start < Length; start += chunk)
            {
                await stream.WriteAsync(writing, _content, start, Math.Min(chunk, Length - start));
                Assert.Equal(Math.Min(Length, start + chunk), stream.Position);
            }

            stream.Position = 0;
            var seen = new byte[Length];
            for (var start = 0; start < Length;)
            {
                start += await stream.ReadAsync(reading, seen, start, Math.Min(chunk, Length - start));
                Assert.Equal(start, stream.Position);
            }

            Assert.Equal(_content, seen);
            Assert.Equal(Length, stream.Length);
        }
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task A_read_returns_all_available_bytes(Mode mode)
    {
        await using var stream = _pool.RentWith(_content);
        stream.Position = 10;
        var seen = new byte[Length];

        Assert.Equal(Length - 10, await stream.ReadAsync(mode, seen, 0, Length));
        Assert.Equal(_content[10..], seen[..^10]);
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task A_read_writes_only_to_its_part_of_the_buffer(Mode mode)
    {
        await using var stream = _pool.RentWith(_content);
        stream.Position = 7;
        var buffer = new byte[100];
        Array.Fill(buffer, Untouched);

        Assert.Equal(40, await stream.ReadAsync(mode, buffer, 20, 40));
        Assert.Equal(-1, buffer.AsSpan(0, 20).IndexOfAnyExcept(Untouched));
        Assert.Equal(_content[7..47], buffer[20..60]);
        Assert.Equal(-1, buffer.AsSpan(60).IndexOfAnyExcept(Untouched));
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task At_and_past_the_end_a_read_returns_nothing(Mode mode)
    {
        await using var stream = _pool.RentWith(_content);
        foreach (var position in (long[])[Length, Length + 1, Length + 1000])
        {
            stream.Position = position;

            Assert.Equal(0, await stream.ReadAsync(mode, new byte[5], 0, 5));
            Assert.Equal(position, stream.Position);
        }
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task An_empty_read_does_not_move_the_position(Mode mode)
    {
        await using var stream = _pool.RentWith(_content);
        foreach (var position in (long[])[0, 16, Length, Length + 50])
        {
            stream.Position = position;

            Assert.Equal(0, await stream.ReadAsync(mode, [], 0, 0));
            Assert.Equal(position, stream.Position);
        }
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task Reading_an_empty_stream_returns_nothing(Mode mode)
    {
        await using var stream = _pool.Rent();

        Assert.Equal(0, await stream.ReadAsync(mode, new byte[5], 0, 5));
        Assert.Equal((0, 0), (stream.Length, stream.Position));
    }

    [Fact]
    public async Task Native_memory_can_be_read_into_and_written_from()
    {
        await using var stream = _pool.Rent();
        using var native = new NativeBytes(Length);
        _content.CopyTo(native.Memory);
        await stream.WriteAsync(native.Memory, TestContext.Current.CancellationToken);
        native.Memory.Span.Clear();
        stream.Position = 0;

        Assert.Equal(Length, await stream.ReadAsync(native.Memory, TestContext.Current.CancellationToken));
        Assert.Equal(_content, native.Memory.ToArray());
    }

    [Fact]
    public void Every_byte_can_be_read_separately()
    {
        using var stream = _pool.RentWith(_content);
        stream.Position = 0;

        Assert.All(_content, value => Assert.Equal(value, stream.ReadByte()));
        Assert.Equal(-1, stream.ReadByte());
    }

    [Fact]
    public void An_exact_read_beyond_the_end_consumes_the_rest_and_fails()
    {
        using var stream = _pool.RentWith(_content);
        stream.Position = 200;

        Assert.Throws<EndOfStreamException>(() => stream.ReadExactly(new byte[101]));
        Assert.Equal(Length, stream.Position);
    }

    /// <summary>Memory outside the reach of the garbage collector.</summary>
    private sealed unsafe class NativeBytes(int length) : MemoryManager<byte>
    {
        private byte* _bytes = (byte*)System.Runtime.InteropServices.NativeMemory.Alloc((nuint)length);

        public override Span<byte> GetSpan() => new(_bytes, length);

        public override MemoryHandle Pin(int elementIndex = 0) => new(_bytes + elementIndex);

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
            System.Runtime.InteropServices.NativeMemory.Free(_bytes);
            _bytes = null;
        }
    }
}
