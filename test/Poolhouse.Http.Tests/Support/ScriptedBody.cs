namespace Poolhouse.Http.Tests.Support;

/// <summary>A body of two parts; what comes after the first waits for the test.</summary>
internal sealed class ScriptedBody : Stream
{
    private readonly TaskCompletionSource _rest = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _reads;

    /// <summary>Completes when the first part was read and the second is wanted.</summary>
    public Task HasBegun => _begun.Task;

    public bool IsDisposed { get; private set; }

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public static HttpResponseMessage Respond(out ScriptedBody body)
    {
        body = new ScriptedBody();
        return new HttpResponseMessage { Content = new StreamContent(body) };
    }

    /// <summary>Lets the rest come.</summary>
    public ScriptedBody Finish()
    {
        _rest.TrySetResult();
        return this;
    }

    /// <summary>Lets the body fail.</summary>
    public ScriptedBody Break()
    {
        _rest.TrySetException(new IOException("The peer has reset the connection."));
        return this;
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (buffer.IsEmpty)
        {
            return 0;
        }

        if (++_reads > 1)
        {
            _begun.TrySetResult();
            await _rest.Task.WaitAsync(cancellationToken);
        }

        buffer.Span[0] = (byte)'x';
        return _reads <= 2 ? 1 : 0;
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override int Read(byte[] buffer, int offset, int count) =>
        ReadAsync(buffer, offset, count).WaitAsync(Patience.Limit).GetAwaiter().GetResult();

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        IsDisposed = true;
        base.Dispose(disposing);
    }
}
