using System.Buffers;
using System.IO.Pipelines;
using Poolhouse.Streams;

namespace Poolhouse.Internal;

/// <summary>
/// A pipe that reads a stream: everything from its position on is there at once, and the stream's end is the pipe's.
/// </summary>
internal sealed class PooledStreamReader(PooledStream stream) : PipeReader
{
    private ReadOnlySequence<byte> _current;
    private bool _isReading;
    private bool _isComplete;
    private int _cancelled;

    public override bool TryRead(out ReadResult result)
    {
        ThrowIfComplete();
        var content = stream.WrittenSequence;
        _current = content.Slice(Math.Min(stream.Position, content.Length));
        _isReading = true;
        result = new ReadResult(_current, Interlocked.Exchange(ref _cancelled, 0) != 0, isCompleted: true);
        return true;
    }

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadResult>(cancellationToken);
        }

        TryRead(out var result);
        return new ValueTask<ReadResult>(result);
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        ThrowIfComplete();
        if (!_isReading)
        {
            throw new InvalidOperationException("Nothing was read: call ReadAsync or TryRead before AdvanceTo.");
        }

        // Throws for a position that is not from this read, before anything changed.
        var count = _current.Slice(0, consumed).Length;
        _isReading = false;
        _current = default;
        stream.Position += count;
    }

    public override void CancelPendingRead() => Volatile.Write(ref _cancelled, 1);

    public override void Complete(Exception? exception = null)
    {
        _isComplete = true;
        _isReading = false;
        _current = default;
    }

    private void ThrowIfComplete()
    {
        if (_isComplete)
        {
            throw new InvalidOperationException("The reader was completed. Get another one from the stream.");
        }
    }
}
