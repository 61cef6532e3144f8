using Poolhouse.Streams;
using Poolhouse.Streams.Blocks;

namespace Poolhouse;

/// <content>Reading, writing and copying.</content>
public sealed partial class PooledStream
{
    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        return Body.Read(this, buffer.AsSpan(offset, count));
    }

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public override int Read(Span<byte> buffer) => Body.Read(this, buffer);

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public override int ReadByte() => Body.ReadByte(this);

    /// <inheritdoc/>
    /// <remarks>Completes synchronously; the task is reused as long as the count stays the same.</remarks>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        CountTask none = default;
        return SynchronousTasks.ReadAsync(
            this, buffer.AsSpan(offset, count), ref _body is { } body ? ref body.LastRead : ref none, cancellationToken);
    }

    /// <inheritdoc/>
    /// <remarks>Completes synchronously.</remarks>
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        SynchronousTasks.ReadAsync(this, buffer, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="IOException">The content would become longer than <see cref="StreamPoolOptions.MaxLength"/>.</exception>
    /// <exception cref="ObjectDisposedException">The stream, or the array pool behind it, was disposed.</exception>
    public override void Write(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        Body.Write(this, buffer.AsSpan(offset, count));
    }

    /// <inheritdoc/>
    /// <exception cref="IOException">The content would become longer than <see cref="StreamPoolOptions.MaxLength"/>.</exception>
    /// <exception cref="ObjectDisposedException">The stream, or the array pool behind it, was disposed.</exception>
    public override void Write(ReadOnlySpan<byte> buffer) => Body.Write(this, buffer);

    /// <inheritdoc/>
    /// <exception cref="IOException">The content would become longer than <see cref="StreamPoolOptions.MaxLength"/>.</exception>
    /// <exception cref="ObjectDisposedException">The stream, or the array pool behind it, was disposed.</exception>
    public override void WriteByte(byte value) => Body.WriteByte(this, value);

    /// <inheritdoc/>
    /// <remarks>Completes synchronously.</remarks>
    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return SynchronousTasks.WriteAsync(this, buffer.AsSpan(offset, count), cancellationToken).AsTask();
    }

    /// <inheritdoc/>
    /// <remarks>Completes synchronously.</remarks>
    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        SynchronousTasks.WriteAsync(this, buffer.Span, cancellationToken);

    /// <summary>
    /// Writes the content after the position to another stream, one block at a time. The position moves to the end.
    /// </summary>
    /// <param name="destination">The stream to copy to.</param>
    /// <param name="bufferSize">Must be above 0; otherwise ignored, because no buffer is needed.</param>
    /// <exception cref="ArgumentNullException"><paramref name="destination"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="bufferSize"/> is not positive.</exception>
    /// <exception cref="NotSupportedException"><paramref name="destination"/> cannot be written to.</exception>
    /// <exception cref="ObjectDisposedException">One of the streams was disposed.</exception>
    public override void CopyTo(Stream destination, int bufferSize)
    {
        ValidateCopyToArguments(destination, bufferSize);
        var (from, to) = TakeRemainder();
        StreamCopy.Run(this, destination, from, to);
    }

    /// <inheritdoc cref="CopyTo(Stream, int)"/>
    /// <param name="destination">The stream to copy to.</param>
    /// <param name="bufferSize">Must be above 0; otherwise ignored, because no buffer is needed.</param>
    /// <param name="cancellationToken">
    /// Cancels the copy between two blocks, and the write to the destination if that write supports cancellation.
    /// </param>
    /// <remarks>
    /// If the stream is disposed or detached while the destination is still reading a block, the blocks are not reused, and the
    /// copy ends with an <see cref="ObjectDisposedException"/>: the destination never receives another user's content.
    /// </remarks>
    /// <returns>A task that completes when everything has been written.</returns>
    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        ValidateCopyToArguments(destination, bufferSize);
        _ = Body;
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled(cancellationToken);
        }

        var (from, to) = TakeRemainder();
        return StreamCopy.RunAsync(this, destination, from, to, cancellationToken);
    }

    /// <summary>Writes the whole content to another stream, one block at a time. The position does not change.</summary>
    /// <param name="stream">The stream to write to.</param>
    /// <exception cref="ArgumentNullException"><paramref name="stream"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">One of the streams was disposed.</exception>
    public void WriteTo(Stream stream)
    {
        ArgumentNullException.ThrowIfNull(stream);
        if (Length == 0)
        {
            // An empty write is needed: a destination that cannot be written to throws, and one positioned past its end grows up
            // to there.
            stream.Write([], 0, 0);
            return;
        }

        if (stream != this)
        {
            StreamCopy.Run(this, stream, 0, Length);
            return;
        }

        // Into itself, where the blocks written first would be the next ones read.
        using var copy = Body.Pool.Arrays.RentExact(CountForArray(Body, nameof(CopyTo)));
        Body.CopyOut(this, 0, copy.Span);
        Write(copy.Span);
    }

    /// <summary>Reads from the given position, without using or changing <see cref="Position"/>.</summary>
    /// <param name="position">Where to start reading; 0 or more.</param>
    /// <param name="destination">The span to fill.</param>
    /// <returns>
    /// The number of bytes read: fewer than requested only if the end of the stream is reached; 0 at the end or past it.
    /// </returns>
    /// <remarks>
    /// Several threads may call this method concurrently, as long as no thread uses a member that changes the stream or its
    /// position: <see cref="Read(Span{byte})"/> and <see cref="CopyTo(Stream, int)"/>, for example, move the position.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="position"/> is negative.</exception>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public int ReadAt(long position, Span<byte> destination)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        var body = Body;
        var count = (int)Math.Clamp(body.Length - position, 0, destination.Length);
        body.CopyOut(this, position, destination[..count]);
        return count;
    }

    private (long From, long To) TakeRemainder()
    {
        var body = Body;
        var from = Math.Min(body.Position, body.Length);
        if (from == body.Position)
        {
            body.MoveTo(this, body.Length);
        }

        return (from, body.Length);
    }
}
