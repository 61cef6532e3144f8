using System.Collections.Concurrent;

namespace Poolhouse.Http.Tests.Support;

/// <summary>An inner handler whose responses are controlled by the test.</summary>
internal sealed class ScriptedHandler : HttpMessageHandler
{
    private readonly ConcurrentQueue<Exchange> _sent = new();

    /// <summary>Answers every request at once, if set.</summary>
    public Func<HttpRequestMessage, HttpResponseMessage>? Answer { get; set; }

    public bool IsDisposed { get; private set; }

    /// <summary>The requests that have come, in their order.</summary>
    public IReadOnlyList<Exchange> Sent => [.. _sent];

    public IEnumerable<string> Paths => _sent.Select(each => each.Request.RequestUri!.AbsolutePath);

    /// <summary>The n-th request, as soon as it has come.</summary>
    public async Task<Exchange> ComesAsync(int number = 0)
    {
        await Patience.UntilAsync(() => _sent.Count > number, $"request {number} to come");
        return Sent[number];
    }

    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        var exchange = new Exchange(request, cancellationToken);
        _sent.Enqueue(exchange);
        if (Answer is { } answer)
        {
            exchange.Respond(answer(request));
        }

        return exchange.Response;
    }

    protected override HttpResponseMessage Send(HttpRequestMessage request, CancellationToken cancellationToken) =>
        SendAsync(request, cancellationToken).WaitAsync(Patience.Limit, TimeProvider.System, cancellationToken).GetAwaiter()
            .GetResult();

    protected override void Dispose(bool disposing)
    {
        IsDisposed = true;
        base.Dispose(disposing);
    }
}
