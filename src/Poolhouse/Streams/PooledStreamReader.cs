using System.Buffers;
using System.IO.Pipelines;

namespace Poolhouse.Streams;

/// <summary>
/// A pipe reader over a stream: everything from its position on is available immediately, and the end of the stream completes the
/// pipe.
/// </summary>
// Like the reader that .NET creates for a sequence: TryRead returns false when nothing is left, while ReadAsync returns an empty
// buffer.
internal sealed class PooledStreamReader(PooledStream stream) : PipeReader
{
    private ReadOnlySequence<byte> _current;
    private long _readAt;
    private bool _isReading;
    private bool _isComplete;
    private int _cancelled;

    public override bool TryRead(out ReadResult result)
    {
        result = Read();
        return result.IsCanceled || !result.Buffer.IsEmpty;
    }

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadResult>(cancellationToken);
        }

        return new ValueTask<ReadResult>(Read());
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        ThrowIfUnusable();
        if (!_isReading)
        {
            throw new InvalidOperationException("Nothing was read: call ReadAsync or TryRead before AdvanceTo.");
        }

        // Throws for positions that are not from this read, before anything changes.
        var count = _current.Slice(0, consumed).Length;
        if (_current.Slice(0, examined).Length < count)
        {
            throw new InvalidOperationException("Cannot consume more than was examined: examined must not precede consumed.");
        }

        _isReading = false;
        _current = default;
        stream.Position = _readAt + count;
    }

    // The base class copies, and consumes what was written, but does not prevent the blocks from being reused if the stream is
    // disposed meanwhile. Its first read comes after the blocks were borrowed, and throws if the stream was disposed before.
    public override Task CopyToAsync(Stream destination, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return CopyAsync(() => base.CopyToAsync(destination, cancellationToken), cancellationToken);
    }

    public override Task CopyToAsync(PipeWriter destination, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return CopyAsync(() => base.CopyToAsync(destination, cancellationToken), cancellationToken);
    }

    public override void CancelPendingRead() => Volatile.Write(ref _cancelled, 1);

    public override void Complete(Exception? exception = null)
    {
        _isComplete = true;
        _isReading = false;
        _current = default;
    }

    private Task CopyAsync(Func<Task> copy, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled(cancellationToken);
        }

        ThrowIfUnusable();
        return stream.Body.Blocks.WhileBorrowedAsync(copy);
    }

    private ReadResult Read()
    {
        ThrowIfUnusable();
        var content = stream.WrittenSequence;
        _readAt = stream.Position;
        _current = content.Slice(Math.Min(_readAt, content.Length));
        _isReading = true;
        return new ReadResult(_current, Interlocked.Exchange(ref _cancelled, 0) != 0, isCompleted: true);
    }

    private void ThrowIfUnusable()
    {
        if (_isComplete)
        {
            throw new InvalidOperationException("The reader was completed. Create another one from the stream.");
        }

        // Throws if the stream is disposed.
        _ = stream.Body;
    }
}
