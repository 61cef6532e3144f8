using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Streams;
using Poolhouse.Streams.Blocks;

namespace Poolhouse;

/// <summary>
/// A <see cref="MemoryStream"/> on pooled blocks: rented from a <see cref="StreamPool"/>, given back by
/// <see cref="Stream.Dispose()"/>.
/// </summary>
/// <remarks>
/// <para>
/// Every sequence of operations gives the results, the exceptions and the parameter names of <see cref="MemoryStream"/>. What
/// differs: it can be longer than 2 GiB (positions and <see cref="Capacity"/> are <see cref="long"/>, the limit is
/// <see cref="StreamPoolOptions.MaxLength"/>); it grows by adding blocks instead of copying itself, so that copying it to another
/// stream may take several writes; and after disposal <see cref="ToArray"/>, <see cref="GetBuffer"/> and
/// <see cref="TryGetBuffer"/> throw as well, because the content belongs to others then.
/// </para>
/// <para>
/// Not thread safe, as streams are not, with two exceptions: disposing from several threads gives the blocks back once, and
/// several threads may use <see cref="ReadAt"/> and views of <see cref="AsReadOnly"/> while nobody writes.
/// </para>
/// <para>
/// A stream that was rented with <see cref="StreamPool.Rent"/> is an object of its own: kept beyond its disposal, it throws, and
/// never reaches the content of a later stream. That of a <see cref="StreamLease"/> is used again; take it from its lease each
/// time.
/// </para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
public sealed partial class PooledStream : Stream, IBufferWriter<byte>
{
    // Null once the stream was disposed. Whoever takes it out gives it back, so it goes back once.
    // Order of writes (against a disposal while a copy is under way)
    //   copy:      borrow the blocks, then look for the body
    //   disposal:  take the body out, then look whether the blocks are borrowed
    //   Both begin with a locked instruction, so one of them sees the other: the copy ends, or the blocks are dropped and not
    //   returned.
    private StreamBody? _body;

    internal PooledStream(StreamBody body) => _body = body;

    /// <summary>What the one who rented the stream called it, for observers and error messages.</summary>
    /// <value><c>null</c> when no tag was given.</value>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public string? Tag => Body.Tag;

    /// <inheritdoc/>
    public override bool CanRead => _body is not null;

    /// <inheritdoc/>
    public override bool CanSeek => _body is not null;

    /// <inheritdoc/>
    public override bool CanWrite => _body is not null;

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public override long Length => Body.Length;

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public override long Position
    {
        get => Body.Position;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            Body.Position = value;
        }
    }

    /// <summary>How many bytes the blocks hold before the stream rents another one.</summary>
    /// <value>
    /// Setting it makes room, or gives back the blocks that hold nothing; those whose memory was shown or offered go back when the
    /// stream is disposed. The blocks come in the sizes of the array pool, so that there may be more of it than was set. From <see cref="Length"/> to <see cref="StreamPoolOptions.MaxLength"/>.
    /// </value>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of that range.</exception>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public long Capacity
    {
        get => Body.Capacity;
        set
        {
            var body = Body;
            ArgumentOutOfRangeException.ThrowIfLessThan(value, body.Length);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, body.Pool.MaxLength);
            body.SetCapacity(value);
        }
    }

    internal StreamBody Body
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            var body = _body;
            if (body is null)
            {
                StreamErrors.ThrowDisposed();
            }

            return body;
        }
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentException"><paramref name="origin"/> is none of the three.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="offset"/> leads further than a position can be.</exception>
    /// <exception cref="IOException">The position would be negative.</exception>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public override long Seek(long offset, SeekOrigin origin)
    {
        var body = Body;
        return body.Position = StreamErrors.TargetOfSeek(offset, origin, body.Position, body.Length);
    }

    /// <summary>Cuts the content off, or makes it longer by zeros. A position behind the new end moves there.</summary>
    /// <param name="value">The new length; 0 to <see cref="StreamPoolOptions.MaxLength"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="value"/> is out of that range.</exception>
    /// <exception cref="NotSupportedException">The stream was disposed: this is what <see cref="MemoryStream"/> throws
    /// here.</exception>
    public override void SetLength(long value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        if (_body is not { } body)
        {
            throw new NotSupportedException(StreamErrors.Disposed().Message);
        }

        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, body.Pool.MaxLength);
        body.SetLength(value);
    }

    /// <summary>Does nothing: what is written is there at once.</summary>
    public override void Flush()
    {
    }

    /// <inheritdoc/>
    public override Task FlushAsync(CancellationToken cancellationToken) => SynchronousTasks.FlushAsync(cancellationToken);

    /// <summary>
    /// Gives the blocks back; the stream cannot be used any more. Calling it again does nothing, from whatever thread.
    /// </summary>
    // As the base class does it, but for GC.SuppressFinalize: there is no finalizer, and the call would be felt in short streams.
    public override void Close() => Dispose(disposing: true);

    /// <summary>Describes the stream, not its content: for the debugger.</summary>
    /// <returns>The tag, position and length.</returns>
    public override string ToString() => _body is { } body
        ? $"{nameof(PooledStream)} {body.Tag} {body.Position}/{body.Length}"
        : $"{nameof(PooledStream)} (disposed)";

    /// <summary>Changes when the stream is disposed, and when that of a lease is used again.</summary>
    internal long Generation => _body?.Generation ?? -1;

    /// <summary>Makes the stream of a lease usable again, for its next user.</summary>
    internal void Reopen(StreamBody body) => Volatile.Write(ref _body, body);

    /// <summary>Makes the stream unusable. Says which body it had, to one caller only.</summary>
    internal StreamBody? TakeBody() => Interlocked.Exchange(ref _body, null);

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing && TakeBody() is { } body)
        {
            GiveBack(body);
        }

        base.Dispose(disposing);
    }

    // A leased body goes back when its lease ends, and not before: two ways back would be two users.
    private void GiveBack(StreamBody body)
    {
        if (body.ReusedFace != this)
        {
            body.Pool.Return(body);
        }
    }
}
