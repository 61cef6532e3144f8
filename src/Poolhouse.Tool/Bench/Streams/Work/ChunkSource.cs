namespace Poolhouse.Tool.Bench.Streams.Work;

/// <summary>Bytes as from a file or a socket: read piece by piece, without a shortcut for any CopyTo.</summary>
internal sealed class ChunkSource(byte[] bytes) : Stream
{
    private int _position;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>Starts again.</summary>
    public void Rewind() => _position = 0;

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override int Read(Span<byte> buffer)
    {
        var piece = bytes.AsSpan(_position, Math.Min(buffer.Length, bytes.Length - _position));
        piece.CopyTo(buffer);
        _position += piece.Length;
        return piece.Length;
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
