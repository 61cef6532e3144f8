using System.Buffers.Binary;
using System.Globalization;
using System.Numerics;
using System.Text;

namespace Poolhouse.Tool.Servers.Tds;

/// <summary>Reads the data types of the protocol (MS-TDS 2.2.5) from a message.</summary>
internal sealed class TdsBytes(byte[] data)
{
    /// <summary>From which <c>datetime</c> counts.</summary>
    private static readonly DateTime _firstDay = new(1900, 1, 1, 0, 0, 0, DateTimeKind.Unspecified);

    public int Position { get; set; }

    public bool AtEnd => Position >= data.Length;

    public byte Next => data[Position];

    public byte Byte() => data[Position++];

    public ReadOnlySpan<byte> Take(int count)
    {
        var taken = data.AsSpan(Position, count);
        Position += count;
        return taken;
    }

    public ushort UInt16() => BinaryPrimitives.ReadUInt16LittleEndian(Take(2));

    public int Int32() => BinaryPrimitives.ReadInt32LittleEndian(Take(4));

    public long Int64() => BinaryPrimitives.ReadInt64LittleEndian(Take(8));

    public string Text(int characters) => Encoding.Unicode.GetString(Take(2 * characters));

    /// <summary>Skips the headers of a request: the transaction, the number of open results, an activity.</summary>
    public void SkipHeaders() => Position += BinaryPrimitives.ReadInt32LittleEndian(data.AsSpan(Position));

    /// <summary>The type and the value of a parameter, as an object that SQLite stores.</summary>
    public object? Value()
    {
        var type = Byte();
        switch (type)
        {
            case 0x1F:
                return null;
            case 0x26:
                Byte();
                return Integer(Byte());
            case 0x68:
                Byte();
                return Byte() == 0 ? null : (long)Byte();
            case 0x6D:
                Byte();
                return Byte() switch
                {
                    0 => null,
                    4 => BinaryPrimitives.ReadSingleLittleEndian(Take(4)),
                    _ => BinaryPrimitives.ReadDoubleLittleEndian(Take(8)),
                };
            case 0x24:
                Byte();
                return Byte() == 0 ? null : new Guid(Take(16)).ToString();
            case 0x6A or 0x6C:
                return Decimal();
            case 0x28:
                return Byte() == 0 ? null : Stamp(DateTime.MinValue.AddDays(Days()));
            case 0x2A or 0x2B:
                return DateAndTime(Byte());
            case 0x6F:
                Byte();
                return Byte() == 0 ? null : Stamp(_firstDay.AddDays(Int32()).AddSeconds((uint)Int32() / 300.0));
            case 0x63 or 0x23 or 0x22:
                return LongText(type);
            case 0xE7 or 0xEF or 0xA7 or 0xAF or 0xA5 or 0xAD:
                return Characters(type);
            default:
                throw new TdsError(8009, $"The data type 0x{type:X2} is not known to this server.");
        }
    }

    private object? Integer(int length) => length switch
    {
        0 => null,
        1 => (long)Byte(),
        2 => (long)BinaryPrimitives.ReadInt16LittleEndian(Take(2)),
        4 => (long)Int32(),
        _ => Int64(),
    };

    private string? Decimal()
    {
        Take(2);
        var scale = Byte();
        var length = Byte();
        if (length == 0)
        {
            return null;
        }

        var isPositive = Byte() == 1;
        var magnitude = (decimal)new BigInteger(Take(length - 1), isUnsigned: true);
        for (var i = 0; i < scale; i++)
        {
            magnitude /= 10;
        }

        return (isPositive ? magnitude : -magnitude).ToString(CultureInfo.InvariantCulture);
    }

    private string? DateAndTime(byte scale)
    {
        var length = Byte();
        if (length == 0)
        {
            return null;
        }

        var timeLength = scale <= 2 ? 3 : scale <= 4 ? 4 : 5;
        long ticks = 0;
        for (var i = 0; i < timeLength; i++)
        {
            ticks |= (long)Byte() << (8 * i);
        }

        for (int i = scale; i < 7; i++)
        {
            ticks *= 10;
        }

        var stamp = DateTime.MinValue.AddDays(Days()).AddTicks(ticks);
        return Stamp(length > timeLength + 3 ? stamp.AddMinutes((short)UInt16()) : stamp);
    }

    private int Days() => Byte() | (Byte() << 8) | (Byte() << 16);

    private static string Stamp(DateTime value) =>
        value.ToString("yyyy-MM-dd HH:mm:ss.FFFFFFF", CultureInfo.InvariantCulture);

    private object? LongText(byte type)
    {
        Take(type == 0x22 ? 4 : 9);
        var length = Int32();
        return length < 0 ? null : Decoded(type, Take(length).ToArray());
    }

    private object? Characters(byte type)
    {
        var longest = UInt16();
        if (type is not (0xA5 or 0xAD))
        {
            Take(5);
        }

        if (longest != 0xFFFF)
        {
            var length = UInt16();
            return length == 0xFFFF ? null : Decoded(type, Take(length).ToArray());
        }

        if (Int64() == -1)
        {
            return null;
        }

        using var all = new MemoryStream();
        for (var chunk = Int32(); chunk != 0; chunk = Int32())
        {
            all.Write(Take(chunk));
        }

        return Decoded(type, all.ToArray());
    }

    private static object Decoded(byte type, byte[] value) => type switch
    {
        0xE7 or 0xEF or 0x63 => Encoding.Unicode.GetString(value),
        0xA7 or 0xAF or 0x23 => Encoding.Latin1.GetString(value),
        _ => value,
    };
}
