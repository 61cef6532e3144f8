using System.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>The ways to read from and to write to a stream.</summary>
public enum Mode
{
    Byte,
    Array,
    Span,
    Begin,
    ArrayAsync,
    MemoryAsync,
    BeginAsync,
}

/// <summary>Reads and writes in each of the ways.</summary>
#pragma warning disable CA1835 // The older calls are tested on purpose.
internal static class Modes
{
    public static TheoryData<Mode> All { get; } = [.. Enum.GetValues<Mode>()];

    public static TheoryData<Mode, Mode> Pairs
    {
        get
        {
            var pairs = new TheoryData<Mode, Mode>();
            foreach (var first in Enum.GetValues<Mode>())
            {
                foreach (var second in Enum.GetValues<Mode>())
                {
                    pairs.Add(first, second);
                }
            }

            return pairs;
        }
    }

    /// <summary>One call; by bytes: as many calls as there are bytes, up to the end.</summary>
    public static async Task<int> ReadAsync(this Stream stream, Mode mode, byte[] array, int offset, int count)
    {
        switch (mode)
        {
            case Mode.Byte:
                return ReadBytes(stream, array.AsSpan(offset, count));
            case Mode.Array:
                return stream.Read(array, offset, count);
            case Mode.Span:
                return stream.Read(array.AsSpan(offset, count));
            case Mode.Begin:
                return stream.EndRead(stream.BeginRead(array, offset, count, null, null));
            case Mode.ArrayAsync:
                return await stream.ReadAsync(array, offset, count, TestContext.Current.CancellationToken);
            case Mode.MemoryAsync:
                return await stream.ReadAsync(array.AsMemory(offset, count), TestContext.Current.CancellationToken);
            default:
                return await Task.Factory.FromAsync(stream.BeginRead, stream.EndRead, array, offset, count, state: null);
        }
    }

    public static async Task WriteAsync(this Stream stream, Mode mode, byte[] array, int offset, int count)
    {
        switch (mode)
        {
            case Mode.Byte:
                WriteBytes(stream, array.AsSpan(offset, count));
                break;
            case Mode.Array:
                stream.Write(array, offset, count);
                break;
            case Mode.Span:
                stream.Write(array.AsSpan(offset, count));
                break;
            case Mode.Begin:
                stream.EndWrite(stream.BeginWrite(array, offset, count, null, null));
                break;
            case Mode.ArrayAsync:
                await stream.WriteAsync(array, offset, count, TestContext.Current.CancellationToken);
                break;
            case Mode.MemoryAsync:
                await stream.WriteAsync(array.AsMemory(offset, count), TestContext.Current.CancellationToken);
                break;
            default:
                await Task.Factory.FromAsync(stream.BeginWrite, stream.EndWrite, array, offset, count, state: null);
                break;
        }
    }

    private static int ReadBytes(Stream stream, Span<byte> destination)
    {
        for (var i = 0; i < destination.Length; i++)
        {
            var value = stream.ReadByte();
            if (value < 0)
            {
                return i;
            }

            destination[i] = (byte)value;
        }

        return destination.Length;
    }

    private static void WriteBytes(Stream stream, ReadOnlySpan<byte> source)
    {
        foreach (var value in source)
        {
            stream.WriteByte(value);
        }
    }
}
