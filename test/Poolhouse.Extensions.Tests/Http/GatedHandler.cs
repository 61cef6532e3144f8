using System.Net;
using System.Threading.Channels;

namespace Poolhouse.Extensions.Tests.Http;

/// <summary>Answers requests when the test says so.</summary>
internal sealed class GatedHandler : HttpMessageHandler
{
    private readonly TaskCompletionSource _gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _disposed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Channel<HttpRequestMessage> _arrivals = Channel.CreateUnbounded<HttpRequestMessage>();
    private int _requests;
    private int _disposals;

    public int Requests => Volatile.Read(ref _requests);

    public Task Disposed => _disposed.Task;

    public int Disposals => Volatile.Read(ref _disposals);

    public ValueTask<HttpRequestMessage> ArrivedAsync() => _arrivals.Reader.ReadAsync(TestContext.Current.CancellationToken);

    public void Open() => _gate.TrySetResult();

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _requests);
        _arrivals.Writer.TryWrite(request);
        await _gate.Task.WaitAsync(cancellationToken);
        return new HttpResponseMessage(HttpStatusCode.NoContent);
    }

    protected override void Dispose(bool disposing)
    {
        Interlocked.Increment(ref _disposals);
        _disposed.TrySetResult();
        base.Dispose(disposing);
    }
}
