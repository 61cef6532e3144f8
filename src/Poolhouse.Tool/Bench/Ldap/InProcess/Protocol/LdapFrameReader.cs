using System.Formats.Asn1;

namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

/// <summary>
/// Splits the data of a client into messages. Its buffer grows with the data received, never with an announced length.
/// </summary>
internal sealed class LdapFrameReader(Stream stream, int maxMessageSize)
{
    private const byte Sequence = 0x30;
    private const byte LongForm = 0x80;
    private const int SmallBuffer = 4096;
    private const int LongestLength = 4;

    private byte[] _buffer = new byte[SmallBuffer];
    private int _start;
    private int _end;

    /// <summary>Whether unread data has arrived.</summary>
    public bool HasData => _end > _start;

    /// <summary>
    /// The next message, valid until the next call; null: the client ended the connection between two messages or within one.
    /// </summary>
    /// <exception cref="AsnContentException">This is not a message, or it is too long.</exception>
    public async ValueTask<ReadOnlyMemory<byte>?> ReadAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            if (TryMeasure(_buffer.AsSpan(_start, _end - _start), out var size) && _end - _start >= size)
            {
                _start += size;
                return _buffer.AsMemory(_start - size, size);
            }

            MakeRoom();
            var count = await stream.ReadAsync(_buffer.AsMemory(_end), cancellationToken).ConfigureAwait(false);
            if (count == 0)
            {
                return null;
            }

            _end += count;
        }
    }

    // Definite lengths only (RFC 4511, section 5.1).
    private bool TryMeasure(ReadOnlySpan<byte> bytes, out int size)
    {
        size = 0;
        if (bytes.Length > 0 && bytes[0] != Sequence)
        {
            throw new AsnContentException("not a message");
        }

        if (bytes.Length < 2)
        {
            return false;
        }

        var lengthBytes = bytes[1] < LongForm ? 0 : bytes[1] - LongForm;
        if ((lengthBytes == 0 && bytes[1] == LongForm) || lengthBytes > LongestLength)
        {
            throw new AsnContentException("unknown form of a length");
        }

        if (bytes.Length < 2 + lengthBytes)
        {
            return false;
        }

        long length = lengthBytes == 0 ? bytes[1] : 0;
        foreach (var digit in bytes.Slice(2, lengthBytes))
        {
            length = (length << 8) | digit;
        }

        length += 2 + lengthBytes;
        size = length <= maxMessageSize ? (int)length : throw new AsnContentException("message too long");
        return true;
    }

    private void MakeRoom()
    {
        var count = _end - _start;
        if (count == 0 && _buffer.Length > SmallBuffer)
        {
            _buffer = new byte[SmallBuffer]; // One long message should not cost its memory for the rest of the connection.
        }
        else if (_end < _buffer.Length)
        {
            return;
        }
        else if (count == _buffer.Length)
        {
            Array.Resize(ref _buffer, _buffer.Length * 2);
        }
        else
        {
            _buffer.AsSpan(_start, count).CopyTo(_buffer);
        }

        (_start, _end) = (0, count);
    }
}
