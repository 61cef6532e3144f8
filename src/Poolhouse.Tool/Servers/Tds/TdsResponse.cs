using System.Buffers.Binary;
using System.Globalization;
using System.Numerics;
using System.Text;

namespace Poolhouse.Tool.Servers.Tds;

/// <summary>Writes the tokens of a response (MS-TDS 2.2.7).</summary>
internal sealed class TdsResponse
{
    private const ushort More = 0x1;
    private const ushort HasError = 0x2;
    private const ushort HasCount = 0x10;
    private const byte DoneInProcedure = 0xFF;
    private const int DoneLength = 13;

    /// <summary>SQL_Latin1_General_CP1_CI_AS.</summary>
    private static readonly byte[] _collation = [0x09, 0x04, 0xD0, 0x00, 0x34];

    private readonly List<byte> _bytes = [];
    private int _lastDone = -1;

    /// <summary>Whether statements report with DONEINPROC, as in a procedure.</summary>
    public bool IsProcedure { get; set; }

    /// <summary>Whether the session ends after the response.</summary>
    public bool IsFatal { get; private set; }

    public byte[] ToArray() => _bytes.ToArray();

    /// <summary>Names the directory that gives access tokens, and the service they are for (FEDAUTHINFO).</summary>
    public void AskForToken()
    {
        var directory = Encoding.Unicode.GetBytes("https://login.example/tenant");
        var service = Encoding.Unicode.GetBytes("https://database.example/");
        const int HeadersLength = 4 + (2 * 9);
        Byte(0xEE);
        Int32(HeadersLength + directory.Length + service.Length);
        Int32(2);
        Byte(1);
        Int32(directory.Length);
        Int32(HeadersLength);
        Byte(2);
        Int32(service.Length);
        Int32(HeadersLength + directory.Length);
        Bytes(directory);
        Bytes(service);
    }

    /// <summary>Accepts a login.</summary>
    public void LogIn(TdsLogin login, bool acknowledgesRecovery)
    {
        UseDatabase(login.DatabaseOrDefault, "master");
        Byte(0xE3);
        UInt16(8);
        Bytes([7, 5, .. _collation, 0]);
        UseLanguage("us_english", "");
        LoginAck();
        Change(4, Invariant(login.PacketSize), "4096");
        Byte(0xAE);
        AcknowledgeIf(acknowledgesRecovery, TdsLogin.Recovery);
        AcknowledgeIf(login.AccessToken is not null, TdsLogin.Federated);
        Byte(0xFF);
    }

    public void UseDatabase(string now, string before)
    {
        Change(1, now, before);
        Message(isError: false, 5701, 0, 2, $"Changed database context to '{now}'.");
    }

    public void UseLanguage(string now, string before)
    {
        Change(2, now, before);
        Message(isError: false, 5703, 0, 1, $"Changed language setting to {now}.");
    }

    /// <summary>Tells the client whether it can recover the session if the connection breaks.</summary>
    public void SessionState(int number, bool isRecoverable, byte id)
    {
        Byte(0xE4);
        Int32(7);
        Int32(number);
        Bytes([(byte)(isRecoverable ? 1 : 0), id, 0]);
    }

    /// <summary>The end of the reset that the request asked for.</summary>
    public void ChangeReset() => ChangeTransaction(18, null, null);

    /// <summary>8: a transaction began; 9: it was committed; 10: it was rolled back.</summary>
    public void ChangeTransaction(byte type, long? began, long? ended)
    {
        Byte(0xE3);
        UInt16((ushort)(3 + (began is null ? 0 : 8) + (ended is null ? 0 : 8)));
        Byte(type);
        foreach (var transaction in (long?[])[began, ended])
        {
            Byte((byte)(transaction is null ? 0 : 8));
            if (transaction is { } id)
            {
                Int64(id);
            }
        }
    }

    public void Message(bool isError, int number, byte severity, byte state, string text)
    {
        Byte((byte)(isError ? 0xAA : 0xAB));
        UInt16((ushort)(4 + 1 + 1 + 2 + (2 * text.Length) + 1 + 2 + 1 + 4));
        Int32(number);
        Byte(state);
        Byte(severity);
        UInt16((ushort)text.Length);
        Bytes(Encoding.Unicode.GetBytes(text));
        ShortText("t");
        ShortText("");
        Int32(1);
    }

    public void Error(TdsError error)
    {
        IsFatal |= error.Severity >= 20;
        Message(isError: true, error.Number, error.Severity, error.State, error.Message);
        Done(StatementToken, (ushort)(HasError | More), 0, 0);
    }

    /// <summary>The end of a statement, with the number of its rows unless they are not to be counted.</summary>
    public void StatementDone(ushort command, long? count) =>
        Done(StatementToken, (ushort)(More | (count is null ? 0 : HasCount)), command, count ?? 0);

    public void ProcedureDone(int status, bool hasMore)
    {
        Byte(0x79);
        Int32(status);
        Done(0xFE, hasMore ? More : (ushort)0, 0xE0, 0);
    }

    public void AttentionDone() => Done(0xFD, 0x20, 0, 0);

    /// <summary>Ends the response: nothing follows its last statement.</summary>
    public byte[] End()
    {
        if (_lastDone < 0 || _lastDone + DoneLength < _bytes.Count || _bytes[_lastDone] == DoneInProcedure)
        {
            Done(0xFD, 0, 0, 0);
        }

        _bytes[_lastDone + 1] &= 0xFE;
        return ToArray();
    }

    public void Rows(IReadOnlyList<TdsColumn> columns, IReadOnlyList<object?[]> rows)
    {
        Byte(0x81);
        UInt16((ushort)columns.Count);
        foreach (var column in columns)
        {
            Int32(0);
            UInt16(0x09);
            Type(column.Type);
            ShortText(column.Name);
        }

        foreach (var row in rows)
        {
            Byte(0xD1);
            for (var i = 0; i < columns.Count; i++)
            {
                Value(columns[i].Type, row[i]);
            }
        }
    }

    /// <summary>The value of an output parameter.</summary>
    public void Output(int ordinal, string name, object? value)
    {
        var type = TdsColumn.TypeOf("", null, [[value]], 0);
        Byte(0xAC);
        UInt16((ushort)ordinal);
        ShortText(name);
        Byte(1);
        Int32(0);
        UInt16(0);
        Type(type);
        Value(type, value);
    }

    private byte StatementToken => IsProcedure ? DoneInProcedure : (byte)0xFD;

    private void AcknowledgeIf(bool isAsked, byte feature)
    {
        if (isAsked)
        {
            Byte(feature);
            Int32(0);
        }
    }

    private void LoginAck()
    {
        var name = "Microsoft SQL Server";
        Byte(0xAD);
        UInt16((ushort)(10 + (2 * name.Length)));
        Byte(1);
        Bytes([0x74, 0x00, 0x00, 0x04]);
        ShortText(name);
        Bytes([0x10, 0x00, 0x10, 0x00]);
    }

    private void Change(byte type, string now, string before)
    {
        Byte(0xE3);
        UInt16((ushort)(3 + (2 * now.Length) + (2 * before.Length)));
        Byte(type);
        ShortText(now);
        ShortText(before);
    }

    private void Done(byte token, ushort status, ushort command, long count)
    {
        _lastDone = _bytes.Count;
        Byte(token);
        UInt16(status);
        UInt16(command);
        Int64(count);
    }

    private void Type(TdsColumnType type)
    {
        Bytes(type switch
        {
            TdsColumnType.TinyInt => [0x26, 1],
            TdsColumnType.SmallInt => [0x26, 2],
            TdsColumnType.Int => [0x26, 4],
            TdsColumnType.BigInt => [0x26, 8],
            TdsColumnType.Bit => [0x68, 1],
            TdsColumnType.Float => [0x6D, 8],
            TdsColumnType.Text => [0xE7, 0x40, 0x1F, .. _collation],
            TdsColumnType.LongText => [0xE7, 0xFF, 0xFF, .. _collation],
            TdsColumnType.Binary => [0xA5, 0x40, 0x1F],
            TdsColumnType.Guid => [0x24, 16],
            TdsColumnType.DateTime => [0x2A, 7],
            _ => [0x6C, 17, 38, 4],
        });
    }

    private void Value(TdsColumnType type, object? value)
    {
        switch (type)
        {
            case TdsColumnType.LongText:
                LongText(value);
                break;
            case TdsColumnType.Text or TdsColumnType.Binary:
                var bytes = value as byte[] ?? (value is null ? null : Encoding.Unicode.GetBytes(Invariant(value)));
                UInt16((ushort)(bytes?.Length ?? 0xFFFF));
                Bytes(bytes);
                break;
            default:
                var sized = value is null ? [] : Sized(type, value);
                Byte((byte)sized.Length);
                Bytes(sized);
                break;
        }
    }

    private static byte[] Sized(TdsColumnType type, object value) => type switch
    {
        TdsColumnType.TinyInt or TdsColumnType.Bit => [Convert.ToByte(value, CultureInfo.InvariantCulture)],
        TdsColumnType.SmallInt => BitConverter.GetBytes(Convert.ToInt16(value, CultureInfo.InvariantCulture)),
        TdsColumnType.Int => BitConverter.GetBytes(Convert.ToInt32(value, CultureInfo.InvariantCulture)),
        TdsColumnType.BigInt => BitConverter.GetBytes(Convert.ToInt64(value, CultureInfo.InvariantCulture)),
        TdsColumnType.Float => BitConverter.GetBytes(Convert.ToDouble(value, CultureInfo.InvariantCulture)),
        TdsColumnType.Guid => Guid.Parse(Invariant(value)).ToByteArray(),
        TdsColumnType.DateTime => Stamp(DateTime.Parse(Invariant(value), CultureInfo.InvariantCulture)),
        _ => Number(Convert.ToDecimal(value, CultureInfo.InvariantCulture)),
    };

    private static byte[] Stamp(DateTime value)
    {
        var days = (int)(value.Ticks / TimeSpan.TicksPerDay);
        return [.. BitConverter.GetBytes(value.TimeOfDay.Ticks)[..5], .. BitConverter.GetBytes(days)[..3]];
    }

    private static byte[] Number(decimal value)
    {
        var bytes = new byte[17];
        bytes[0] = (byte)(value < 0 ? 0 : 1);
        new BigInteger(Math.Abs(value) * 10_000).TryWriteBytes(bytes.AsSpan(1), out _, isUnsigned: true);
        return bytes;
    }

    private void LongText(object? value)
    {
        if (value is null)
        {
            Int64(-1);
            return;
        }

        var bytes = Encoding.Unicode.GetBytes(Invariant(value));
        Int64(bytes.Length);
        if (bytes.Length > 0)
        {
            Int32(bytes.Length);
            Bytes(bytes);
        }

        Int32(0);
    }

    private static string Invariant(object value) => Convert.ToString(value, CultureInfo.InvariantCulture)!;

    private void ShortText(string text)
    {
        Byte((byte)text.Length);
        Bytes(Encoding.Unicode.GetBytes(text));
    }

    private void Byte(byte value) => _bytes.Add(value);

    private void Bytes(ReadOnlySpan<byte> value) => _bytes.AddRange(value);

    private void UInt16(ushort value)
    {
        Span<byte> bytes = stackalloc byte[2];
        BinaryPrimitives.WriteUInt16LittleEndian(bytes, value);
        _bytes.AddRange(bytes);
    }

    private void Int32(int value)
    {
        Span<byte> bytes = stackalloc byte[4];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, value);
        _bytes.AddRange(bytes);
    }

    private void Int64(long value)
    {
        Span<byte> bytes = stackalloc byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, value);
        _bytes.AddRange(bytes);
    }
}
