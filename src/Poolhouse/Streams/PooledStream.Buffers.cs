using System.Buffers;
using System.IO.Pipelines;
using Poolhouse.Streams;
using Poolhouse.Streams.Blocks;

namespace Poolhouse;

/// <content>Access to the content, with and without copying.</content>
public sealed partial class PooledStream
{
    /// <summary>The whole content, without copying it.</summary>
    /// <value>
    /// From 0 to <see cref="Length"/>, regardless of the position. Valid until the next write, change of length or disposal.
    /// </value>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public ReadOnlySequence<byte> WrittenSequence => Body.ToSequence(this);

    /// <summary>Copies the content to a new array.</summary>
    /// <returns>The content from 0 to <see cref="Length"/>, regardless of the position.</returns>
    /// <exception cref="IOException">The content is longer than the maximum length of an array.</exception>
    /// <exception cref="NotSupportedException">
    /// The pool's options forbid it; see <see cref="StreamPoolOptions.ThrowExceptionOnToArray"/>.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public byte[] ToArray()
    {
        var body = Body;
        _ = CountForArray(body, nameof(WrittenSequence));
        body.Pool.NoteToArray(body);

        // Read and counted again, because the observer is user code, which may have disposed or changed the stream.
        body = Body;
        var count = CountForArray(body, nameof(WrittenSequence));
        if (count == 0)
        {
            return [];
        }

        var array = GC.AllocateUninitializedArray<byte>(count);
        body.CopyOut(this, 0, array);
        return array;
    }

    /// <summary>Returns the content in one array that belongs to the stream, like <see cref="MemoryStream.GetBuffer"/>.</summary>
    /// <returns>
    /// An array that may be longer than the content; after <see cref="Length"/> it contains nothing from other users. Valid until
    /// the next write, change of length or disposal.
    /// </returns>
    /// <remarks>
    /// If the stream consists of several blocks, they are joined into one block with the same capacity. No other way of accessing
    /// the content copies it inside the pool.
    /// </remarks>
    /// <exception cref="IOException">The content is longer than the maximum length of an array.</exception>
    /// <exception cref="ObjectDisposedException">The stream, or the array pool behind it, was disposed.</exception>
    public byte[] GetBuffer()
    {
        var body = Body;
        _ = CountForArray(body, nameof(WrittenSequence));
        return body.Join(this);
    }

    /// <summary>Gets the content in one array that belongs to the stream, like <see cref="MemoryStream.TryGetBuffer"/>.</summary>
    /// <param name="buffer">The content; see <see cref="GetBuffer"/>.</param>
    /// <returns>False if the content is longer than the maximum length of an array.</returns>
    /// <exception cref="ObjectDisposedException">The stream, or the array pool behind it, was disposed.</exception>
    public bool TryGetBuffer(out ArraySegment<byte> buffer)
    {
        var body = Body;
        if (body.Length > Array.MaxLength)
        {
            buffer = default;
            return false;
        }

        buffer = new ArraySegment<byte>(body.Join(this), 0, (int)body.Length);
        return true;
    }

    /// <summary>Transfers the content to the caller without copying it, and disposes the stream.</summary>
    /// <returns>The content; dispose it to return the blocks.</returns>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public PooledSequence DetachBuffer()
    {
        // Closed first, so that a concurrent disposal finds no blocks to return.
        var body = TakeBody() ?? throw StreamErrors.Disposed();
        var content = body.TryTakeContent();
        body.Pool.Return(body);
        return content ?? throw StreamErrors.UsedConcurrently();
    }

    /// <summary>Creates a stream that reads the current content, with its own position.</summary>
    /// <returns>
    /// A read-only, seekable stream. Valid until the next write, change of length or disposal of this stream; after the disposal
    /// it throws. Disposing it leaves this stream open.
    /// </returns>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public SequenceStream AsReadOnly()
    {
        return new SequenceStream(WrittenSequence, this);
    }

    /// <summary>Creates a pipe reader that reads the stream from the position on, without copying.</summary>
    /// <returns>
    /// A reader that moves the position with <see cref="PipeReader.AdvanceTo(SequencePosition)"/>. Completing it does not dispose
    /// the stream.
    /// </returns>
    /// <remarks>
    /// A read never waits: it returns everything up to the end of the stream, and the end of the stream completes the pipe.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public PipeReader AsPipeReader()
    {
        _ = Body;
        return new PooledStreamReader(this);
    }

    /// <summary>Creates a pipe writer that writes to the stream at the position, without copying.</summary>
    /// <returns>A writer whose flushes complete immediately. Completing it does not dispose the stream.</returns>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public PipeWriter AsPipeWriter()
    {
        _ = Body;
        return new PooledStreamWriter(this);
    }

    /// <summary>Gets memory to write to at the position.</summary>
    /// <param name="sizeHint">The minimum number of bytes; with 0, any number above 0.</param>
    /// <returns>
    /// Memory of that many bytes or more. Its initial content is undefined; call <see cref="Advance"/> to make it part of the
    /// stream.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="sizeHint"/> is negative.</exception>
    /// <exception cref="IOException">The content would become longer than <see cref="StreamPoolOptions.MaxLength"/>.</exception>
    /// <exception cref="ObjectDisposedException">The stream, or the array pool behind it, was disposed.</exception>
    public Memory<byte> GetMemory(int sizeHint = 0) => Body.GetMemory(this, sizeHint);

    /// <inheritdoc cref="GetMemory"/>
    public Span<byte> GetSpan(int sizeHint = 0) => Body.GetMemory(this, sizeHint).Span;

    /// <summary>
    /// Makes the first bytes of the memory requested last part of the content, and moves the position past them.
    /// </summary>
    /// <param name="count">The number of bytes; 0 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is negative.</exception>
    /// <exception cref="InvalidOperationException">
    /// Less memory was offered, or the content or the position has changed since.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public void Advance(int count) => Body.Advance(this, count);

    private static int CountForArray(StreamBody body, string way) => body.Length <= Array.MaxLength
        ? (int)body.Length
        : throw StreamErrors.TooLongForArray(body.Length, way);
}
