namespace Poolhouse.Tool.Bench.Streams.Work;

/// <summary>Takes bytes like a socket: copies them, piece by piece, into a buffer that it reuses.</summary>
internal sealed class ChunkSink : Stream
{
    private readonly byte[] _buffer = new byte[16 << 10];
    private long _written;

    /// <summary>How many bytes came, with the first of the last piece mixed in.</summary>
    public long Sum => _written + _buffer[0];

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>Starts again.</summary>
    public void Reset() => _written = 0;

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        _written += buffer.Length;
        while (!buffer.IsEmpty)
        {
            var piece = buffer[..Math.Min(buffer.Length, _buffer.Length)];
            piece.CopyTo(_buffer);
            buffer = buffer[piece.Length..];
        }
    }

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
