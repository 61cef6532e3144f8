using System.Buffers;
using System.Diagnostics;
using Poolhouse.Streams;
using Poolhouse.Streams.Blocks;

namespace Poolhouse;

/// <summary>A read-only stream over a <see cref="ReadOnlySequence{T}"/>, without copying it.</summary>
/// <remarks>
/// Behaves like a <see cref="MemoryStream"/> that cannot be written to, and can have any length. Disposing it does not affect the
/// memory behind the sequence. Not thread safe, but several streams over one sequence may be used concurrently.
/// </remarks>
[DebuggerDisplay("{_position}/{_sequence.Length}")]
public sealed class SequenceStream : Stream
{
    private readonly ReadOnlySequence<byte> _sequence;
    private readonly long _length;

    // The stream whose content this is; it must not be disposed. Null for any other sequence.
    private readonly PooledStream? _source;
    private CountTask _lastRead;
    private bool _disposed;
    private long _position;

    // The position in the sequence that corresponds to _position, unless that is past the end.
    private SequencePosition _current;

    /// <summary>Creates a stream.</summary>
    /// <param name="sequence">The content to read. Its memory must stay valid for as long as the stream is used.</param>
    public SequenceStream(ReadOnlySequence<byte> sequence)
        : this(sequence, source: null)
    {
    }

    internal SequenceStream(ReadOnlySequence<byte> sequence, PooledStream? source)
    {
        _sequence = sequence;
        _length = sequence.Length;
        _current = sequence.Start;
        _source = source;
    }

    /// <inheritdoc/>
    public override bool CanRead => !_disposed;

    /// <inheritdoc/>
    public override bool CanSeek => !_disposed;

    /// <summary>Always false.</summary>
    public override bool CanWrite => false;

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The stream, or the stream it is a view of, was disposed.</exception>
    public override long Length
    {
        get
        {
            ThrowIfDisposed();
            return _length;
        }
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    /// <exception cref="ObjectDisposedException">The stream, or the stream it is a view of, was disposed.</exception>
    public override long Position
    {
        get
        {
            ThrowIfDisposed();
            return _position;
        }

        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ThrowIfDisposed();
            MoveTo(value);
        }
    }

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The stream, or the stream it is a view of, was disposed.</exception>
    public override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        return Read(buffer.AsSpan(offset, count));
    }

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The stream, or the stream it is a view of, was disposed.</exception>
    public override int Read(Span<byte> buffer)
    {
        ThrowIfDisposed();
        if (_position >= _length)
        {
            return 0;
        }

        var count = (int)Math.Min(_length - _position, buffer.Length);
        _current = CopyOut(buffer[..count]);
        _position += count;
        return count;
    }

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The stream, or the stream it is a view of, was disposed.</exception>
    public override int ReadByte()
    {
        var value = default(byte);
        return Read(new Span<byte>(ref value)) == 0 ? -1 : value;
    }

    /// <inheritdoc/>
    /// <remarks>Completes synchronously; the task is reused as long as the count stays the same.</remarks>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return SynchronousTasks.ReadAsync(this, buffer.AsSpan(offset, count), ref _lastRead, cancellationToken);
    }

    /// <inheritdoc/>
    /// <remarks>Completes synchronously.</remarks>
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        SynchronousTasks.ReadAsync(this, buffer, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">One of the streams was disposed.</exception>
    public override void CopyTo(Stream destination, int bufferSize)
    {
        ValidateCopyToArguments(destination, bufferSize);
        var remainder = TakeRemainder();
        if (remainder.IsEmpty)
        {
            return;
        }

        using var borrowed = BorrowBlocks();
        foreach (var memory in remainder)
        {
            ThrowIfDisposed();
            destination.Write(memory.Span);
        }
    }

    /// <inheritdoc/>
    /// <remarks>
    /// If the source of a view is disposed while the destination is still reading a block, the blocks are not reused, and the
    /// copy ends with an <see cref="ObjectDisposedException"/>.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">One of the streams was disposed.</exception>
    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        ValidateCopyToArguments(destination, bufferSize);
        ThrowIfDisposed();
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : CopyAsync(TakeRemainder(), destination, cancellationToken);
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentException"><paramref name="origin"/> is not a valid value.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="offset"/> leads beyond the largest position.</exception>
    /// <exception cref="IOException">The position would be negative.</exception>
    /// <exception cref="ObjectDisposedException">The stream, or the stream it is a view of, was disposed.</exception>
    public override long Seek(long offset, SeekOrigin origin)
    {
        ThrowIfDisposed();
        MoveTo(StreamErrors.TargetOfSeek(offset, origin, _position, _length));
        return _position;
    }

    /// <summary>Always throws: the stream is read-only.</summary>
    /// <param name="value">Not used.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="value"/> is negative.</exception>
    /// <exception cref="NotSupportedException">All other values.</exception>
    public override void SetLength(long value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        throw StreamErrors.NotWritable();
    }

    /// <summary>Always throws: the stream is read-only.</summary>
    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        ThrowIfDisposed();
        throw StreamErrors.NotWritable();
    }

    /// <summary>Always fails: the stream is read-only.</summary>
    /// <inheritdoc/>
    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return SynchronousTasks.WriteAsync(this, buffer.AsSpan(offset, count), cancellationToken).AsTask();
    }

    /// <summary>Always fails: the stream is read-only.</summary>
    /// <inheritdoc/>
    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        SynchronousTasks.WriteAsync(this, buffer.Span, cancellationToken);

    /// <summary>Has no effect.</summary>
    public override void Flush()
    {
    }

    /// <inheritdoc/>
    public override Task FlushAsync(CancellationToken cancellationToken) => SynchronousTasks.FlushAsync(cancellationToken);

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        _disposed = true;
        base.Dispose(disposing);
    }

    private void ThrowIfDisposed()
    {
        if (_disposed || _source is { IsDisposed: true })
        {
            StreamErrors.ThrowDisposed();
        }
    }

    // Another thread may end the source during the copy. What was copied may then be of the next user of its blocks, or the
    // segments refer to nothing any longer.
    private SequencePosition CopyOut(Span<byte> destination)
    {
        try
        {
            _sequence.Slice(_current, destination.Length).CopyTo(destination);
            var next = _sequence.GetPosition(destination.Length, _current);
            if (!HasSourceEnded())
            {
                return next;
            }
        }
        catch (Exception) when (HasSourceEnded())
        {
            throw StreamErrors.Disposed();
        }

        throw StreamErrors.Disposed();
    }

    private bool HasSourceEnded()
    {
        if (_source is null)
        {
            return false;
        }

        // Prevents the preceding reads of the content from being delayed past the check.
        Volatile.ReadBarrier();
        return _source.IsDisposed;
    }

    private void MoveTo(long position)
    {
        if (position <= _length)
        {
            // Continue from the current position if it lies before the target.
            _current = position >= _position && _position <= _length
                ? _sequence.GetPosition(position - _position, _current)
                : _sequence.GetPosition(position);
        }

        _position = position;
    }

    private ReadOnlySequence<byte> TakeRemainder()
    {
        ThrowIfDisposed();
        if (_position >= _length)
        {
            return ReadOnlySequence<byte>.Empty;
        }

        var remainder = _sequence.Slice(_current);
        MoveTo(_length);
        return remainder;
    }

    private async Task CopyAsync(ReadOnlySequence<byte> remainder, Stream destination, CancellationToken cancellationToken)
    {
        if (remainder.IsEmpty)
        {
            return;
        }

        using var borrowed = BorrowBlocks();
        foreach (var memory in remainder)
        {
            ThrowIfDisposed();
            await destination.WriteAsync(memory, cancellationToken).ConfigureAwait(false);
        }
    }

    // A slow destination reads the blocks of the source: no other user may get them meanwhile.
    private BlockChain.Borrowing? BorrowBlocks() => _source?.Body.Blocks.Borrow();
}
