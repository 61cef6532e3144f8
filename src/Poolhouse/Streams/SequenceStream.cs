using System.Buffers;
using System.Diagnostics;
using Poolhouse.Streams;
using Poolhouse.Streams.Blocks;

namespace Poolhouse;

/// <summary>A read-only stream over a <see cref="ReadOnlySequence{T}"/>, which is not copied.</summary>
/// <remarks>
/// Acts as a <see cref="MemoryStream"/> that cannot be written to, of any length. Disposing it leaves the memory behind the
/// sequence to its owner. Not thread safe; several of them over one sequence are.
/// </remarks>
[DebuggerDisplay("{_position}/{_sequence.Length}")]
public sealed class SequenceStream : Stream
{
    private readonly ReadOnlySequence<byte> _sequence;
    private readonly long _length;

    // The stream whose content this is: it must be alive. Null for any other sequence.
    private readonly PooledStream? _source;
    private readonly long _generation;
    private CountTask _lastRead;
    private bool _disposed;
    private long _position;

    // Where _position is in the sequence, unless it is past the end.
    private SequencePosition _place;

    /// <summary>Makes a stream.</summary>
    /// <param name="sequence">What it reads. The memory must stay valid as long as it does.</param>
    public SequenceStream(ReadOnlySequence<byte> sequence)
        : this(sequence, source: null)
    {
    }

    internal SequenceStream(ReadOnlySequence<byte> sequence, PooledStream? source)
    {
        _sequence = sequence;
        _length = sequence.Length;
        _place = sequence.Start;
        _source = source;
        _generation = source?.Generation ?? 0;
    }

    /// <inheritdoc/>
    public override bool CanRead => !_disposed;

    /// <inheritdoc/>
    public override bool CanSeek => !_disposed;

    /// <summary>False.</summary>
    public override bool CanWrite => false;

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The stream was disposed, or the one it is a view of.</exception>
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
    /// <exception cref="ObjectDisposedException">The stream was disposed, or the one it is a view of.</exception>
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
    /// <exception cref="ObjectDisposedException">The stream was disposed, or the one it is a view of.</exception>
    public override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        return Read(buffer.AsSpan(offset, count));
    }

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The stream was disposed, or the one it is a view of.</exception>
    public override int Read(Span<byte> buffer)
    {
        ThrowIfDisposed();
        if (_position >= _length)
        {
            return 0;
        }

        var count = (int)Math.Min(_length - _position, buffer.Length);

        var rest = _sequence.Slice(_place);
        if (rest.FirstSpan.Length >= count)
        {
            rest.FirstSpan[..count].CopyTo(buffer);
        }
        else
        {
            rest.Slice(0, count).CopyTo(buffer);
        }

        _place = _sequence.GetPosition(count, _place);
        _position += count;
        return count;
    }

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The stream was disposed, or the one it is a view of.</exception>
    public override int ReadByte()
    {
        var value = default(byte);
        return Read(new Span<byte>(ref value)) == 0 ? -1 : value;
    }

    /// <inheritdoc/>
    /// <remarks>Complete when it returns; the task is used again while the count stays the same.</remarks>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return SynchronousTasks.ReadAsync(this, buffer.AsSpan(offset, count), ref _lastRead, cancellationToken);
    }

    /// <inheritdoc/>
    /// <remarks>Complete when it returns.</remarks>
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        SynchronousTasks.ReadAsync(this, buffer, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">One of the streams was disposed.</exception>
    public override void CopyTo(Stream destination, int bufferSize)
    {
        ValidateCopyToArguments(destination, bufferSize);
        var rest = TakeRest();
        if (rest.IsEmpty)
        {
            return;
        }

        var blocks = BorrowBlocks();
        try
        {
            foreach (var memory in rest)
            {
                ThrowIfDisposed();
                destination.Write(memory.Span);
            }
        }
        finally
        {
            blocks?.EndBorrowing();
        }
    }

    /// <inheritdoc/>
    /// <remarks>
    /// When the source of a view is disposed while the destination still reads a block, the blocks are not used again, and the
    /// copy ends with an <see cref="ObjectDisposedException"/>.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">One of the streams was disposed.</exception>
    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        ValidateCopyToArguments(destination, bufferSize);
        ThrowIfDisposed();
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : CopyAsync(TakeRest(), destination, cancellationToken);
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentException"><paramref name="origin"/> is none of the three.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="offset"/> leads further than a position can be.</exception>
    /// <exception cref="IOException">The position would be negative.</exception>
    /// <exception cref="ObjectDisposedException">The stream was disposed, or the one it is a view of.</exception>
    public override long Seek(long offset, SeekOrigin origin)
    {
        ThrowIfDisposed();
        MoveTo(StreamErrors.TargetOfSeek(offset, origin, _position, _length));
        return _position;
    }

    /// <summary>Throws: the stream is read-only.</summary>
    /// <param name="value">Not used.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="value"/> is negative.</exception>
    /// <exception cref="NotSupportedException">Otherwise.</exception>
    public override void SetLength(long value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        throw StreamErrors.NotWritable();
    }

    /// <summary>Throws: the stream is read-only.</summary>
    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        Write(buffer.AsSpan(offset, count));
    }

    /// <summary>Throws: the stream is read-only.</summary>
    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<byte> buffer)
    {
        ThrowIfDisposed();
        throw StreamErrors.NotWritable();
    }

    /// <summary>Throws: the stream is read-only.</summary>
    /// <inheritdoc/>
    public override void WriteByte(byte value) => Write([]);

    /// <summary>Fails: the stream is read-only.</summary>
    /// <inheritdoc/>
    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return SynchronousTasks.WriteAsync(this, buffer.AsSpan(offset, count), cancellationToken).AsTask();
    }

    /// <summary>Fails: the stream is read-only.</summary>
    /// <inheritdoc/>
    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        SynchronousTasks.WriteAsync(this, buffer.Span, cancellationToken);

    /// <summary>Does nothing.</summary>
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
        if (_disposed || (_source is not null && _source.Generation != _generation))
        {
            StreamErrors.ThrowDisposed();
        }
    }

    private void MoveTo(long position)
    {
        if (position <= _length)
        {
            // From where it is, if that is on the way.
            _place = position >= _position && _position <= _length
                ? _sequence.GetPosition(position - _position, _place)
                : _sequence.GetPosition(position);
        }

        _position = position;
    }

    private ReadOnlySequence<byte> TakeRest()
    {
        ThrowIfDisposed();
        if (_position >= _length)
        {
            return ReadOnlySequence<byte>.Empty;
        }

        var rest = _sequence.Slice(_place);
        MoveTo(_length);
        return rest;
    }

    private async Task CopyAsync(ReadOnlySequence<byte> rest, Stream destination, CancellationToken cancellationToken)
    {
        if (rest.IsEmpty)
        {
            return;
        }

        var blocks = BorrowBlocks();
        try
        {
            foreach (var memory in rest)
            {
                ThrowIfDisposed();
                await destination.WriteAsync(memory, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            blocks?.EndBorrowing();
        }
    }

    // A destination that takes its time reads the blocks of the source: nobody else may get them meanwhile.
    private BlockChain? BorrowBlocks()
    {
        var blocks = _source?.Body.Blocks;
        blocks?.Borrow();
        return blocks;
    }
}
