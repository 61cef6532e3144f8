using Poolhouse.Http.Internal;

namespace Poolhouse.Http;

/// <summary>
/// Sends a request when the bulkhead has a permit for it, and holds the permit until the body of the response has ended.
/// </summary>
/// <remarks>
/// <para>
/// A permit is held until the body of the response was read to the end, failed, or was disposed; with the usual methods of
/// <see cref="HttpClient"/> that is before they return. With <see cref="HttpCompletionOption.ResponseHeadersRead"/> dispose the
/// response: a response that is not disposed releases its permit when it is garbage collected. A request without a response
/// releases it when it fails or is cancelled.
/// </para>
/// <para>
/// Waiting requests are served in the order of arrival, and can be cancelled at any time. A request that is not admitted fails
/// with <see cref="BulkheadRejectedException"/>. Redirects that an inner handler follows are part of the original request.
/// </para>
/// <para>Thread safe. Disposing it disposes the inner handler, and the bulkhead if the handler created it.</para>
/// <code>
/// using var client = new HttpClient(new BulkheadHandler(new BulkheadOptions { MaxPerEndpoint = 8 }, new SocketsHttpHandler()));
/// </code>
/// </remarks>
public sealed class BulkheadHandler : DelegatingHandler
{
    private readonly bool _ownsBulkhead;

    /// <summary>
    /// Creates a handler with its own bulkhead and without an inner handler, which a client factory sets.
    /// </summary>
    /// <param name="options">The settings of the bulkhead; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names every invalid setting.</exception>
    public BulkheadHandler(BulkheadOptions options)
        : this(new Bulkhead(options)) => _ownsBulkhead = true;

    /// <summary>Creates a handler with its own bulkhead.</summary>
    /// <param name="options">The settings of the bulkhead; copied.</param>
    /// <param name="innerHandler">The handler that sends the requests; disposed with this handler.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> or <paramref name="innerHandler"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names every invalid setting.</exception>
    public BulkheadHandler(BulkheadOptions options, HttpMessageHandler innerHandler)
        : this(CreateBulkhead(options, innerHandler), innerHandler) => _ownsBulkhead = true;

    /// <summary>
    /// Creates a handler with a bulkhead that may be shared, and without an inner handler, which a client factory sets.
    /// </summary>
    /// <param name="bulkhead">The bulkhead; not disposed with this handler.</param>
    /// <exception cref="ArgumentNullException"><paramref name="bulkhead"/> is null.</exception>
    public BulkheadHandler(Bulkhead bulkhead)
    {
        ArgumentNullException.ThrowIfNull(bulkhead);
        Bulkhead = bulkhead;
    }

    /// <summary>Creates a handler with a bulkhead that may be shared.</summary>
    /// <param name="bulkhead">The bulkhead; not disposed with this handler.</param>
    /// <param name="innerHandler">The handler that sends the requests; disposed with this handler.</param>
    /// <exception cref="ArgumentNullException"><paramref name="bulkhead"/> or <paramref name="innerHandler"/> is
    /// null.</exception>
    public BulkheadHandler(Bulkhead bulkhead, HttpMessageHandler innerHandler)
        : this(bulkhead)
    {
        ArgumentNullException.ThrowIfNull(innerHandler);
        InnerHandler = innerHandler;
    }

    /// <summary>The bulkhead, for its statistics.</summary>
    public Bulkhead Bulkhead { get; }

    /// <inheritdoc/>
    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (request.RequestUri is not { IsAbsoluteUri: true } address)
        {
            // Cannot be sent: the inner handler reports it.
            return base.SendAsync(request, cancellationToken);
        }

        var endpoint = Endpoint.Of(address);
        var entering = Bulkhead.EnterAsync(endpoint, cancellationToken);
#pragma warning disable VSTHRD103 // It has completed.
        return entering.IsCompletedSuccessfully
            ? SendAsync(ConcurrencyPermit.Take(entering.Result), request, cancellationToken)
#pragma warning restore VSTHRD103
            : WaitAndSendAsync(entering, endpoint, request, cancellationToken);
    }

    /// <inheritdoc/>
    protected override HttpResponseMessage Send(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (request.RequestUri is not { IsAbsoluteUri: true } address)
        {
            return base.Send(request, cancellationToken);
        }

        var permit = ConcurrencyPermit.Take(Bulkhead.Enter(Endpoint.Of(address), cancellationToken));
        try
        {
            return HeldContent.Attach(base.Send(request, cancellationToken), HeldContent.ExpectedFor(request), permit);
        }
        catch
        {
            permit.End();
            throw;
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing && _ownsBulkhead)
        {
            Bulkhead.Dispose();
        }

        base.Dispose(disposing);
    }

    // The argument first: nothing would dispose the bulkhead of a handler that was not created.
    private static Bulkhead CreateBulkhead(BulkheadOptions options, HttpMessageHandler innerHandler)
    {
        ArgumentNullException.ThrowIfNull(innerHandler);
        return new Bulkhead(options);
    }

    // grpc-web too.
    private static bool IsGrpc(HttpRequestMessage request) =>
        request.Content?.Headers.ContentType is { MediaType: { } type }
        && type.StartsWith("application/grpc", StringComparison.OrdinalIgnoreCase);

    private async Task<HttpResponseMessage> WaitAndSendAsync(
        ValueTask<Lease<ConcurrencyPermit>> entering, Endpoint endpoint, HttpRequestMessage request,
        CancellationToken cancellationToken)
    {
        ConcurrencyPermit permit;
        try
        {
            permit = ConcurrencyPermit.Take(await entering.ConfigureAwait(false));
        }
        catch (Exception refusal) when (BulkheadErrors.IsRefusal(refusal))
        {
            throw Bulkhead.Rejected(endpoint, refusal, IsGrpc(request));
        }

        return await SendAsync(permit, request, cancellationToken).ConfigureAwait(false);
    }

    private Task<HttpResponseMessage> SendAsync(
        ConcurrencyPermit permit, HttpRequestMessage request, CancellationToken cancellationToken)
    {
        Task<HttpResponseMessage> sending;
        try
        {
            sending = base.SendAsync(request, cancellationToken);
        }
        catch
        {
            permit.End();
            throw;
        }

        return permit.UntilBodyEndsAsync(sending, HeldContent.ExpectedFor(request));
    }
}
