using Poolhouse.Http.Internal;

namespace Poolhouse.Http;

/// <summary>
/// Bounds how many requests are under way: to each endpoint, and to all together. One can stand behind many handlers.
/// </summary>
/// <remarks>
/// <para>
/// An endpoint is a scheme, a host and a port. Requests to one endpoint are let through in the order of arrival, synchronous and
/// asynchronous ones in one queue. Used through <see cref="BulkheadHandler"/>.
/// </para>
/// <para>
/// The places are leases of a <see cref="KeyedResourcePool{TKey, T}"/>, so statistics and metrics are those of every pool: leased
/// are the requests under way. An endpoint that was not used for two minutes is forgotten; its counts stay in those of the whole.
/// </para>
/// <para>Thread safe. Disposing it ends the waits with <see cref="ObjectDisposedException"/>; requests under way go on.</para>
/// </remarks>
public sealed class Bulkhead : IPool, IDisposable
{
    private readonly KeyedResourcePool<Endpoint, ConcurrencyPermit> _places;
    private readonly BulkheadOptions _options;

    /// <summary>Makes a bulkhead.</summary>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
    public Bulkhead(BulkheadOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        _options = options.Freeze();
        _places = new KeyedResourcePool<Endpoint, ConcurrencyPermit>(static _ => ConcurrencyPermitPolicy.Instance, _options.ForPlaces());
    }

    /// <inheritdoc/>
    public string Name => _places.Name;

    /// <summary>Reads the counters of all endpoints together, those of forgotten endpoints included.</summary>
    /// <returns>
    /// An immutable snapshot; <see cref="ResourcePoolStatistics.MaxSize"/> is <see cref="BulkheadOptions.TotalLimit"/>.
    /// </returns>
    public ResourcePoolStatistics GetStatistics() => _places.GetStatistics();

    /// <summary>Reads the counters of one endpoint.</summary>
    /// <param name="address">Any absolute address of the endpoint: only scheme, host and port count.</param>
    /// <returns>An immutable snapshot, or null if the bulkhead does not know the endpoint.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="address"/> is null.</exception>
    /// <exception cref="InvalidOperationException"><paramref name="address"/> is relative.</exception>
    public ResourcePoolStatistics? GetStatistics(Uri address)
    {
        ArgumentNullException.ThrowIfNull(address);
        return _places.GetStatistics(Endpoint.Of(address));
    }

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>Lets go of the places that nobody holds. They are made again when they are wanted.</summary>
    /// <returns>How many went.</returns>
    public int Trim() => _places.Trim();

    /// <summary>Lets nobody through any more; those who wait hear it. Requests under way go on. Harmless when repeated.</summary>
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
