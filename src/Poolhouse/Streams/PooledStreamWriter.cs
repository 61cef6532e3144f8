using System.IO.Pipelines;

namespace Poolhouse.Streams;

/// <summary>A pipe writer over a stream: it writes directly into the stream's blocks, and its flushes have no effect.</summary>
internal sealed class PooledStreamWriter(PooledStream stream) : PipeWriter
{
    private bool _isComplete;
    private int _cancelled;
    private long _unflushed;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _unflushed;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        ThrowIfUnusable();
        return stream.GetMemory(sizeHint);
    }

    public override Span<byte> GetSpan(int sizeHint = 0)
    {
        ThrowIfUnusable();
        return stream.GetSpan(sizeHint);
    }

    public override void Advance(int bytes)
    {
        ThrowIfUnusable();
        stream.Advance(bytes);
        _unflushed += bytes;
    }

    // The base class writes before it looks at the token, and piece by piece: a caller that tries again would write twice, and of
    // a write that is too long, or comes from the stream's own memory, only a part would be right.
    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        ThrowIfUnusable();
        stream.Write(source.Span);
        return FlushAsync(cancellationToken);
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        ThrowIfUnusable();
        _unflushed = 0;
        return new ValueTask<FlushResult>(new FlushResult(Interlocked.Exchange(ref _cancelled, 0) != 0, isCompleted: false));
    }

    public override void CancelPendingFlush() => Volatile.Write(ref _cancelled, 1);

    public override void Complete(Exception? exception = null) => _isComplete = true;

    // The base class lets the source write to the blocks, but does not prevent them from being reused if the stream is disposed
    // meanwhile. Its first GetMemory comes after the blocks were borrowed, and throws if the stream was disposed before.
    protected override Task CopyFromAsync(Stream source, CancellationToken cancellationToken = default)
    {
        ThrowIfUnusable();
        return stream.Body.Blocks.WhileBorrowedAsync(() => CopyAsync(source, cancellationToken));
    }

    // Unlike the base class, it needs no memory to find out that the source has ended: at MaxLength there is none.
    private async Task CopyAsync(Stream source, CancellationToken cancellationToken)
    {
        while (true)
        {
            ThrowIfUnusable();
            var isFull = stream.Position >= stream.Body.Pool.MaxLength;
            var memory = isFull ? new byte[1] : GetMemory();
            var count = await source.ReadAsync(memory, cancellationToken).ConfigureAwait(false);
            if (count == 0)
            {
                return;
            }

            if (isFull)
            {
                // Throws, because the stream is too long.
                stream.Write(memory.Span[..count]);
            }
            else
            {
                Advance(count);
            }

            if ((await FlushAsync(cancellationToken).ConfigureAwait(false)).IsCanceled)
            {
                throw new OperationCanceledException();
            }
        }
    }

    private void ThrowIfUnusable()
    {
        if (_isComplete)
        {
            throw new InvalidOperationException("The writer was completed. Create another one from the stream.");
        }

        // Throws if the stream is disposed.
        _ = stream.Body;
    }
}
