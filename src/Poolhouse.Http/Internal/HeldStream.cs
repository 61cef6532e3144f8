using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Http.Internal;

/// <summary>
/// The body of a response as a stream, which ends the hold of its content at the end of the body, on a failure, or when it is
/// disposed.
/// </summary>
// A read that was cancelled ends nothing: over HTTP/2 reading can continue. A caller that cancels disposes.
// CopyTo and CopyToAsync are those of the base class, which read here: only a failed read ends the hold, not a failed write to
// the destination.
internal sealed class HeldStream(Stream inner, HeldContent content) : Stream
{
    public override bool CanRead => inner.CanRead;

    public override bool CanSeek => inner.CanSeek;

    public override bool CanWrite => inner.CanWrite;

    public override bool CanTimeout => inner.CanTimeout;

    public override long Length => inner.Length;

    public override long Position
    {
        get => inner.Position;
        set => inner.Position = value;
    }

    public override int ReadTimeout
    {
        get => inner.ReadTimeout;
        set => inner.ReadTimeout = value;
    }

    public override int WriteTimeout
    {
        get => inner.WriteTimeout;
        set => inner.WriteTimeout = value;
    }

    public override int Read(Span<byte> buffer)
    {
        try
        {
            return Ended(inner.Read(buffer), buffer.Length);
        }
        catch (Exception failure) when (EndedBy(failure))
        {
            throw;
        }
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        return Read(buffer.AsSpan(offset, count));
    }

    public override int ReadByte()
    {
        Span<byte> one = stackalloc byte[1];
        return Read(one) == 0 ? -1 : one[0];
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ValueTask<int> read;
        try
        {
            read = inner.ReadAsync(buffer, cancellationToken);
        }
        catch (Exception failure) when (EndedBy(failure))
        {
            throw;
        }

#pragma warning disable VSTHRD103 // It has completed.
        return read.IsCompletedSuccessfully
            ? new ValueTask<int>(Ended(read.Result, buffer.Length))
            : WaitingRead.AfterAsync(read, this, buffer.Length);
#pragma warning restore VSTHRD103
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    public override void Write(ReadOnlySpan<byte> buffer) => inner.Write(buffer);

    public override void Write(byte[] buffer, int offset, int count) => inner.Write(buffer, offset, count);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        inner.WriteAsync(buffer, cancellationToken);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        inner.WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Flush() => inner.Flush();

    public override Task FlushAsync(CancellationToken cancellationToken) => inner.FlushAsync(cancellationToken);

    public override long Seek(long offset, SeekOrigin origin) => inner.Seek(offset, origin);

    public override void SetLength(long value) => inner.SetLength(value);

    public override async ValueTask DisposeAsync()
    {
        try
        {
            await inner.DisposeAsync().ConfigureAwait(false);
        }
        finally
        {
            content.End();
        }

        await base.DisposeAsync().ConfigureAwait(false);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            try
            {
                inner.Dispose();
            }
            finally
            {
                content.End();
            }
        }

        base.Dispose(disposing);
    }

    private int Ended(int read, int requested)
    {
        // A result of zero for a read of zero bytes only means that data is available.
        if (read == 0 && requested > 0)
        {
            content.End();
        }

        return read;
    }

    /// <summary>Ends the hold after a failure. Never catches.</summary>
    private bool EndedBy(Exception failure)
    {
        if (failure is not OperationCanceledException)
        {
            content.End();
        }

        return false;
    }

    /// <summary>What follows a read that did not complete at once.</summary>
    private sealed class WaitingRead : ReusableContinuation<WaitingRead, int, int>
    {
        private HeldStream? _stream;
        private int _requested;

        public static ValueTask<int> AfterAsync(ValueTask<int> reading, HeldStream stream, int requested)
        {
            var waiting = Take();
            (waiting._stream, waiting._requested) = (stream, requested);
            return waiting.BeginAsync(reading);
        }

        protected override int Continue(ConfiguredValueTaskAwaitable<int>.ConfiguredValueTaskAwaiter awaiter)
        {
            var stream = _stream!;
            _stream = null;
            try
            {
#pragma warning disable VSTHRD002 // It has completed.
                return stream.Ended(awaiter.GetResult(), _requested);
#pragma warning restore VSTHRD002
            }
            catch (Exception failure) when (stream.EndedBy(failure))
            {
                throw;
            }
        }
    }
}
