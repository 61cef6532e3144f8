namespace Poolhouse.Tests.Streams.Model;

/// <summary>A destination that is no memory stream, because copies to those take a shorter way.</summary>
internal abstract class TargetStream : Stream
{
    private readonly MemoryStream _written = new();

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => _written.Length;

    public override long Position
    {
        get => _written.Position;
        set => throw new NotSupportedException();
    }

    public byte[] ToArray() => _written.ToArray();

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => _written.Write(buffer, offset, count);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public abstract override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default);
}
