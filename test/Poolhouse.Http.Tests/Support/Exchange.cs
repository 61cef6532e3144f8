namespace Poolhouse.Http.Tests.Support;

/// <summary>A request that waits for its answer.</summary>
internal sealed class Exchange
{
    private readonly TaskCompletionSource<HttpResponseMessage> _response =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Exchange(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        (Request, Cancelled) = (request, cancellationToken);
        cancellationToken.UnsafeRegister((_, token) => _response.TrySetCanceled(token), state: null);
    }

    public HttpRequestMessage Request { get; }

    public CancellationToken Cancelled { get; }

    public Task<HttpResponseMessage> Response => _response.Task;

    public void Respond(HttpResponseMessage response)
    {
        response.RequestMessage ??= Request;
        _response.TrySetResult(response);
    }

    public void Respond(string text = "hello") => Respond(new HttpResponseMessage { Content = new StringContent(text) });

    public void Fail(Exception failure) => _response.TrySetException(failure);
}
