using Poolhouse.Http.Internal;

namespace Poolhouse.Http;

/// <summary>
/// Sends a request when the bulkhead has a place for it, and holds the place until the body of the response has ended.
/// </summary>
/// <remarks>
/// <para>
/// A place is held until the body of the response was read to the end, failed, or was disposed; with <see cref="HttpClient"/>'s
/// usual methods that is before they return. With <see cref="HttpCompletionOption.ResponseHeadersRead"/> dispose the response:
/// one that is forgotten frees its place when it is collected as garbage. A request without a response frees it when it fails or
/// is cancelled.
/// </para>
/// <para>
/// Whoever waits is served in the order of arrival, and leaves at once when cancelled. A request that is not let through fails
/// with <see cref="BulkheadRejectedException"/>. Redirects that an inner handler follows belong to the request that began them.
/// </para>
/// <para>Thread safe. Disposing it disposes the inner handler, and the bulkhead if the handler made it.</para>
/// <code>
/// using var client = new HttpClient(new BulkheadHandler(new BulkheadOptions { EndpointLimit = 8 }, new SocketsHttpHandler()));
/// </code>
/// </remarks>
public sealed class BulkheadHandler : DelegatingHandler
{
    private readonly bool _ownsBulkhead;

    /// <summary>
    /// Makes a handler with a bulkhead of its own, and without an inner handler: a factory of clients sets that.
    /// </summary>
    /// <param name="options">The settings of the bulkhead; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
    public BulkheadHandler(BulkheadOptions options)
        : this(new Bulkhead(options)) => _ownsBulkhead = true;

    /// <summary>Makes a handler with a bulkhead of its own.</summary>
    /// <param name="options">The settings of the bulkhead; copied.</param>
    /// <param name="innerHandler">What sends the requests; disposed with this handler.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> or <paramref name="innerHandler"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
    public BulkheadHandler(BulkheadOptions options, HttpMessageHandler innerHandler)
        : this(new Bulkhead(options), innerHandler) => _ownsBulkhead = true;

    /// <summary>
    /// Makes a handler on a bulkhead that others may use as well, and without an inner handler: a factory of clients sets that.
    /// </summary>
    /// <param name="bulkhead">The bulkhead; not disposed with this handler.</param>
    /// <exception cref="ArgumentNullException"><paramref name="bulkhead"/> is null.</exception>
    public BulkheadHandler(Bulkhead bulkhead)
    {
        ArgumentNullException.ThrowIfNull(bulkhead);
        Bulkhead = bulkhead;
    }

    /// <summary>Makes a handler on a bulkhead that others may use as well.</summary>
    /// <param name="bulkhead">The bulkhead; not disposed with this handler.</param>
    /// <param name="innerHandler">What sends the requests; disposed with this handler.</param>
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
            // Goes nowhere: the inner handler says so.
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

        var place = ConcurrencyPermit.Take(Bulkhead.Enter(Endpoint.Of(address), cancellationToken));
        try
        {
            return HeldContent.Attach(base.Send(request, cancellationToken), place);
        }
        catch
        {
            place.End();
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

    private async Task<HttpResponseMessage> WaitAndSendAsync(
        ValueTask<Lease<ConcurrencyPermit>> entering, Endpoint endpoint, HttpRequestMessage request, CancellationToken cancellationToken)
    {
        ConcurrencyPermit place;
        try
        {
            place = ConcurrencyPermit.Take(await entering.ConfigureAwait(false));
        }
        catch (Exception refusal) when (BulkheadErrors.IsRefusal(refusal))
        {
            throw Bulkhead.Rejected(endpoint, refusal);
        }

        return await SendAsync(place, request, cancellationToken).ConfigureAwait(false);
    }

    private Task<HttpResponseMessage> SendAsync(ConcurrencyPermit place, HttpRequestMessage request, CancellationToken cancellationToken)
    {
        Task<HttpResponseMessage> sending;
        try
        {
            sending = base.SendAsync(request, cancellationToken);
        }
        catch
        {
            place.End();
            throw;
        }

        return place.UntilBodyEndsAsync(sending);
    }
}
