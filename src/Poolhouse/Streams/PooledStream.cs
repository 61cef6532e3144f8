using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Streams;
using Poolhouse.Streams.Blocks;

namespace Poolhouse;

/// <summary>
/// A <see cref="MemoryStream"/> on pooled blocks, rented from a <see cref="StreamPool"/> and returned by
/// <see cref="Stream.Dispose()"/>.
/// </summary>
/// <remarks>
/// <para>
/// Every sequence of operations gives the results, the exceptions and the parameter names of <see cref="MemoryStream"/>, with
/// these differences: the stream can be longer than 2 GiB (positions and <see cref="Capacity"/> are <see cref="long"/>, and the
/// limit is <see cref="StreamPoolOptions.MaxLength"/>); it grows by adding blocks instead of copying itself, so that copying it
/// to another stream may take several writes; and after disposal, <see cref="ToArray"/>, <see cref="GetBuffer"/> and
/// <see cref="TryGetBuffer"/> throw as well, because the memory may then belong to other users.
/// </para>
/// <para>
/// Not thread safe, like other streams, with two exceptions: concurrent disposal returns the blocks only once, and several
/// threads may use <see cref="ReadAt"/> and the views of <see cref="AsReadOnly"/>, as long as no thread uses a member that
/// changes the stream or its position. If two threads use a stream at the same time by mistake, its content may be wrong and its
/// members may throw, among others an <see cref="InvalidOperationException"/>; other streams are not affected, except by a call
/// that was preempted while another thread disposed the stream.
/// </para>
/// <para>
/// Each rented stream is an object of its own: used after its disposal, it throws, and never accesses the content of a later
/// stream.
/// </para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(StreamDebugView))]
public sealed partial class PooledStream : Stream, IBufferWriter<byte>
{
    // Null once the stream was disposed. The thread that takes the body out returns it, so it is returned only once.
    // Order of writes (disposal while a copy is in progress)
    //   copy:      borrow the blocks, then read the body
    //   disposal:  take the body out, then check whether the blocks are borrowed
    //   Both start with an interlocked instruction, so one of them sees the other: either the copy ends, or the blocks are
    //   dropped instead of returned.
    private StreamBody? _body;

    internal PooledStream(StreamBody body) => _body = body;

    /// <summary>The tag given when the stream was rented, for observers and error messages.</summary>
    /// <value><c>null</c> if no tag was given.</value>
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
            Body.MoveTo(this, value);
        }
    }

    /// <summary>How many bytes the stream can hold before it rents another block.</summary>
    /// <value>
    /// From <see cref="Length"/> to <see cref="StreamPoolOptions.MaxLength"/>. Setting it adds blocks, or returns the blocks that
    /// hold no content; blocks whose memory was exposed or offered are returned when the stream is disposed. Blocks come in the
    /// sizes of the array pool, so the capacity may be larger than the value that was set.
    /// </value>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of that range.</exception>
    /// <exception cref="ObjectDisposedException">The stream, or the array pool behind it, was disposed.</exception>
    public long Capacity
    {
        get
        {
            var body = Body;
            return Math.Min(body.Capacity, body.Pool.MaxLength);
        }

        set
        {
            var body = Body;
            ArgumentOutOfRangeException.ThrowIfLessThan(value, body.Length);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, body.Pool.MaxLength);
            body.SetCapacity(this, value);
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
    /// <exception cref="ArgumentException"><paramref name="origin"/> is not a valid value.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="offset"/> leads beyond the largest position.</exception>
    /// <exception cref="IOException">The position would be negative.</exception>
    /// <exception cref="ObjectDisposedException">The stream was disposed.</exception>
    public override long Seek(long offset, SeekOrigin origin)
    {
        var body = Body;
        var target = StreamErrors.TargetOfSeek(offset, origin, body.Position, body.Length);
        body.MoveTo(this, target);
        return target;
    }

    /// <summary>Truncates the content, or extends it with zeros. A position past the new end moves to the end.</summary>
    /// <param name="value">The new length; 0 to <see cref="StreamPoolOptions.MaxLength"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="value"/> is out of that range.</exception>
    /// <exception cref="NotSupportedException">
    /// The stream was disposed: <see cref="MemoryStream"/> throws this exception here.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The array pool behind the stream was disposed.</exception>
    public override void SetLength(long value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        if (_body is not { } body)
        {
            throw new NotSupportedException(StreamErrors.Disposed().Message);
        }

        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, body.Pool.MaxLength);
        body.SetLength(this, value);
    }

    /// <summary>Has no effect: written bytes are available immediately.</summary>
    public override void Flush()
    {
    }

    /// <inheritdoc/>
    public override Task FlushAsync(CancellationToken cancellationToken) => SynchronousTasks.FlushAsync(cancellationToken);

    /// <summary>
    /// Returns the blocks; the stream cannot be used any longer. Further calls have no effect, from any thread.
    /// </summary>
    // Like the base class, but without GC.SuppressFinalize: there is no finalizer, and the call would be noticeable in short
    // streams.
    public override void Close() => Dispose(disposing: true);

    /// <summary>Describes the stream, but not its content, in one line, for debuggers and logs.</summary>
    /// <returns>The tag, position, length and pool, and since when it is rented, if known. The format may change.</returns>
    public override string ToString()
    {
        if (Volatile.Read(ref _body) is not { } body)
        {
            return $"{nameof(PooledStream)} (disposed)";
        }

        var tag = body.Tag is { } name ? $" '{name}'" : "";
        var lease = body.Pool.FindLease(body) is { } known ? $": {known}" : "";
        return $"{nameof(PooledStream)}{tag} at {body.Position} of {body.Length} bytes, of pool '{body.Pool.Name}'{lease}";
    }

    internal StreamBody? BodyOrNull => Volatile.Read(ref _body);

    /// <summary>Whether the stream has not ended, and has this body.</summary>
    internal bool IsDisposed => Volatile.Read(ref _body) is null;

    internal bool Uses(StreamBody body) => Volatile.Read(ref _body) == body;

    /// <summary>Makes the stream unusable. Returns the body it had, to one caller only.</summary>
    internal StreamBody? TakeBody() => Interlocked.Exchange(ref _body, null);

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing && TakeBody() is { } body)
        {
            body.Pool.Return(body);
        }

        base.Dispose(disposing);
    }
}
