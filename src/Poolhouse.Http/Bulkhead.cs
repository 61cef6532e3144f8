using Poolhouse.Http.Internal;

namespace Poolhouse.Http;

/// <summary>
/// Limits the number of concurrent requests to each endpoint, and to all endpoints together. Many handlers can share one bulkhead.
/// </summary>
/// <remarks>
/// <para>
/// An endpoint is a scheme, a host and a port. Requests to one endpoint are admitted in the order of arrival, with one queue for
/// synchronous and asynchronous requests. Used through <see cref="BulkheadHandler"/>.
/// </para>
/// <para>
/// The permits are leases of a <see cref="KeyedResourcePool{TKey, T}"/>, so statistics and metrics are those of every pool: the
/// leased items are the requests in progress. The bulkhead forgets an endpoint that was not used for two minutes; the counts of the
/// endpoint remain in the totals.
/// </para>
/// <para>Thread safe. Disposing it ends the waits with <see cref="ObjectDisposedException"/>; pending requests continue.</para>
/// </remarks>
public sealed class Bulkhead : IPool, IDisposable
{
    private readonly KeyedResourcePool<Endpoint, ConcurrencyPermit> _places;
    private readonly BulkheadOptions _options;

    /// <summary>Creates a bulkhead.</summary>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names every invalid setting.</exception>
    public Bulkhead(BulkheadOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        _options = options.Freeze();
        _places = new KeyedResourcePool<Endpoint, ConcurrencyPermit>(static _ => ConcurrencyPermitPolicy.Instance, _options.ForPlaces());
    }

    /// <inheritdoc/>
    public string Name => _places.Name;

    /// <summary>Reads the counters of all endpoints together, including those of forgotten endpoints.</summary>
    /// <returns>
    /// An immutable snapshot; <see cref="ResourcePoolStatistics.MaxSize"/> is <see cref="BulkheadOptions.TotalLimit"/>.
    /// </returns>
    public ResourcePoolStatistics GetStatistics() => _places.GetStatistics();

    /// <summary>Reads the counters of one endpoint.</summary>
    /// <param name="address">Any absolute address of the endpoint: only scheme, host and port are used.</param>
    /// <returns>An immutable snapshot, or null if the bulkhead does not know the endpoint.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="address"/> is null.</exception>
    /// <exception cref="InvalidOperationException"><paramref name="address"/> is relative.</exception>
    public ResourcePoolStatistics? GetStatistics(Uri address)
    {
        ArgumentNullException.ThrowIfNull(address);
        return _places.GetStatistics(Endpoint.Of(address));
    }

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>Releases the permits that are not in use. They are created again when they are needed.</summary>
    /// <returns>The number of permits released.</returns>
    public int Trim() => _places.Trim();

    /// <summary>Rejects new requests and those that wait. Requests in progress continue. Repeated calls have no effect.</summary>
    public void Dispose() => _places.Dispose();

    internal ValueTask<Lease<ConcurrencyPermit>> EnterAsync(Endpoint endpoint, CancellationToken cancellationToken) =>
        _places.RentAsync(endpoint, cancellationToken);

    internal Lease<ConcurrencyPermit> Enter(Endpoint endpoint, CancellationToken cancellationToken)
    {
        try
        {
            return _places.Rent(endpoint, cancellationToken);
        }
        catch (Exception refusal) when (BulkheadErrors.IsRefusal(refusal))
        {
            throw Rejected(endpoint, refusal);
        }
    }

    internal BulkheadRejectedException Rejected(Endpoint endpoint, Exception refusal) =>
        BulkheadErrors.Rejected(Name, _options, endpoint, refusal);
}
