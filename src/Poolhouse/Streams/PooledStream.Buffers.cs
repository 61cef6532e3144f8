using System.Buffers;
using System.IO.Pipelines;
using Poolhouse.Streams;
using Poolhouse.Streams.Blocks;

namespace Poolhouse;

/// <content>Ways to the content that do not copy it, and those that do.</content>
public sealed partial class PooledStream
{
    /// <summary>The whole content, not copied.</summary>
    /// <value>
    /// From 0 to <see cref="Length"/>, whatever the position. Valid until the next write, change of length or disposal.
    /// </value>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public ReadOnlySequence<byte> WrittenSequence => Body.ToSequence();

    /// <summary>Copies the content to a new array.</summary>
    /// <returns>From 0 to <see cref="Length"/>, whatever the position.</returns>
    /// <exception cref="IOException">The content is longer than an array can be.</exception>
    /// <exception cref="NotSupportedException">The pool's options forbid it, see
    /// <see cref="StreamPoolOptions.ThrowExceptionOnToArray"/>.</exception>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public byte[] ToArray()
    {
        var body = Body;
        body.Pool.NoteToArray(body);
        if (body.Length == 0)
        {
            return [];
        }

        var array = GC.AllocateUninitializedArray<byte>(CountForArray(body, nameof(WrittenSequence)));
        body.Blocks.CopyOut(0, array);
        return array;
    }

    /// <summary>The content in one array that belongs to the stream, as <see cref="MemoryStream.GetBuffer"/>.</summary>
    /// <returns>An array that may be longer; behind <see cref="Length"/> it holds nothing of other users. Valid until the next
    /// write, change of length or disposal.</returns>
    /// <remarks>
    /// Of a stream with several blocks it makes one, with the same capacity; this is the one way to the content that copies inside the
    /// pool.
    /// </remarks>
    /// <exception cref="IOException">The content is longer than an array can be.</exception>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public byte[] GetBuffer()
    {
        var body = Body;
        _ = CountForArray(body, nameof(WrittenSequence));
        return body.Join();
    }

    /// <summary>The content in one array that belongs to the stream, as <see cref="MemoryStream.TryGetBuffer"/>.</summary>
    /// <param name="buffer">The content; see <see cref="GetBuffer"/>.</param>
    /// <returns>False when the content is longer than an array can be.</returns>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public bool TryGetBuffer(out ArraySegment<byte> buffer)
    {
        var body = Body;
        if (body.Length > Array.MaxLength)
        {
            buffer = default;
            return false;
        }

        buffer = new ArraySegment<byte>(body.Join(), 0, (int)body.Length);
        return true;
    }

    /// <summary>Gives the content to the caller without copying it, and disposes the stream.</summary>
    /// <returns>The content; dispose it to give the blocks back.</returns>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public PooledSequence DetachBuffer()
    {
        // Closed first, so that whoever disposes it at the same moment finds nothing to give back.
        var body = TakeBody() ?? throw StreamErrors.Disposed();
        var sequence = new PooledSequence(body.Length, body.TakeBlocks());
        GiveBack(body);
        return sequence;
    }

    /// <summary>A stream that reads what is written by now, with a position of its own.</summary>
    /// <returns>
    /// A read-only stream that can seek. Valid until the next write, change of length or disposal of this one; after the disposal
    /// it throws. Disposing it leaves this one open.
    /// </returns>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public SequenceStream AsReadOnly() => new(WrittenSequence, this);

    /// <summary>Reads the stream as a pipe, from the position on, without copying.</summary>
    /// <returns>
    /// A reader that moves the position with <see cref="PipeReader.AdvanceTo(SequencePosition)"/>. Completing it does not dispose
    /// the stream.
    /// </returns>
    /// <remarks>
    /// A read never waits: it gives everything up to the end of the stream, and the stream's end is the pipe's.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public PipeReader AsPipeReader()
    {
        _ = Body;
        return new PooledStreamReader(this);
    }

    /// <summary>Writes the stream as a pipe, at the position, without copying.</summary>
    /// <returns>A writer whose flushes have nothing to wait for. Completing it does not dispose the stream.</returns>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public PipeWriter AsPipeWriter()
    {
        _ = Body;
        return new PooledStreamWriter(this);
    }

    /// <summary>Room to write at the position.</summary>
    /// <param name="sizeHint">How many bytes are needed at least; 0: some.</param>
    /// <returns>
    /// Memory of that many bytes or more. What is in it may be anything; it becomes content by <see cref="Advance"/>.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="sizeHint"/> is negative.</exception>
    /// <exception cref="IOException">The content would become longer than <see cref="StreamPoolOptions.MaxLength"/>.</exception>
    /// <exception cref="ObjectDisposedException">The stream, or the array pool behind it, was disposed.</exception>
    public Memory<byte> GetMemory(int sizeHint = 0) => Body.GetMemory(sizeHint);

    /// <inheritdoc cref="GetMemory"/>
    public Span<byte> GetSpan(int sizeHint = 0) => Body.GetMemory(sizeHint).Span;

    /// <summary>
    /// Makes the first bytes of the room that was asked for last part of the content, and moves the position behind them.
    /// </summary>
    /// <param name="count">How many; 0 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is negative.</exception>
    /// <exception cref="InvalidOperationException">Fewer were offered, or the content or the position has changed since.</exception>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public void Advance(int count) => Body.Advance(count);

    private static int CountForArray(StreamBody body, string way) => body.Length <= Array.MaxLength
        ? (int)body.Length
        : throw StreamErrors.TooLongForArray(body.Length, way);
}
