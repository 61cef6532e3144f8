using System.Buffers.Binary;

namespace Poolhouse.Tool.Servers.Tds;

/// <summary>
/// The stream beneath TLS as TDS 7.4 negotiates it: the handshake is sent in packets of PRELOGIN (MS-TDS 2.2.6.5), all that
/// follows is not.
/// </summary>
internal sealed class TdsHandshake(Stream inner) : Stream
{
    private const int HeaderLength = 8;

    private int _left;

    /// <summary>Whether the handshake is over.</summary>
    public bool IsOver { get; set; }

    public override bool CanRead => true;

    public override bool CanWrite => true;

    public override bool CanSeek => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (IsOver)
        {
            return await inner.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        }

        if (_left == 0)
        {
            var header = new byte[HeaderLength];
            await inner.ReadExactlyAsync(header, cancellationToken).ConfigureAwait(false);
            _left = BinaryPrimitives.ReadUInt16BigEndian(header.AsSpan(2)) - HeaderLength;
        }

        var read = await inner.ReadAsync(buffer[..Math.Min(buffer.Length, _left)], cancellationToken).ConfigureAwait(false);
        _left -= read;
        return read;
    }

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (IsOver)
        {
            await inner.WriteAsync(buffer, cancellationToken).ConfigureAwait(false);
            return;
        }

        var packet = new byte[HeaderLength + buffer.Length];
        (packet[0], packet[1]) = (TdsMessage.PreLogin, TdsMessage.Last);
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(2), (ushort)packet.Length);
        buffer.CopyTo(packet.AsMemory(HeaderLength));
        await inner.WriteAsync(packet, cancellationToken).ConfigureAwait(false);
    }

    public override void Flush()
    {
        // Nothing is buffered.
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            inner.Dispose();
        }

        base.Dispose(disposing);
    }
}
