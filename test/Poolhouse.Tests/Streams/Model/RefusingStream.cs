namespace Poolhouse.Tests.Streams.Model;

/// <summary>A destination on which every write fails.</summary>
internal sealed class RefusingStream : MemoryStream
{
    public override void Write(byte[] buffer, int offset, int count) => throw new TimeoutException();

    public override void Write(ReadOnlySpan<byte> buffer) => throw new TimeoutException();

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        throw new TimeoutException();

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        ValueTask.FromException(new TimeoutException());
}
