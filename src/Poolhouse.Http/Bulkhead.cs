using System.Diagnostics;
using Poolhouse.Http.Internal;

namespace Poolhouse.Http;

/// <summary>
/// Limits the number of concurrent requests to each endpoint, and to all endpoints together. Many handlers can share one
/// bulkhead.
/// </summary>
/// <remarks>
/// <para>
/// An endpoint is a scheme, a host and a port. Requests to one endpoint are admitted in the order of arrival, with one queue for
/// synchronous and asynchronous requests. Used through <see cref="BulkheadHandler"/>.
/// </para>
/// <para>
/// The permits are leases of a <see cref="KeyedResourcePool{TKey, T}"/>, so metrics are those of every resource pool: the
/// leased items are the requests in progress. The bulkhead forgets an endpoint that was not used for two minutes; the counts of
/// the endpoint remain in the totals.
/// </para>
/// <para>Thread safe. Disposing it ends the waits with <see cref="ObjectDisposedException"/>; pending requests continue.</para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy("Poolhouse.Kernel.Debugging.PoolDebugView, Poolhouse")]
public sealed class Bulkhead : IPool, IDisposable
{
    private readonly KeyedResourcePool<Endpoint, ConcurrencyPermit> _permits;
    private readonly BulkheadOptions _given;
    private readonly Lock _changing = new();
    private volatile BulkheadOptions _options;

    /// <summary>Creates a bulkhead.</summary>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names every invalid setting.</exception>
    public Bulkhead(BulkheadOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        _given = options.Snapshot();
        _options = options.Freeze();
        _permits = new KeyedResourcePool<Endpoint, ConcurrencyPermit>(
            static _ => ConcurrencyPermitPolicy.Instance, _options.ForPermits(this));
    }

    /// <inheritdoc/>
    public string Name => _permits.Name;

    /// <summary>Reads the counters of all endpoints together, including those of forgotten endpoints.</summary>
    /// <returns>
    /// An immutable snapshot; <see cref="BulkheadStatistics.MaxLeased"/> is <see cref="BulkheadOptions.MaxTotal"/>.
    /// </returns>
    public BulkheadStatistics GetStatistics() => new(_permits.GetStatistics());

    /// <summary>Reads the counters of one endpoint.</summary>
    /// <param name="address">Any absolute address of the endpoint: only scheme, host and port are used.</param>
    /// <returns>An immutable snapshot, or null if the bulkhead does not know the endpoint.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="address"/> is null.</exception>
    /// <exception cref="InvalidOperationException"><paramref name="address"/> is relative.</exception>
    public BulkheadStatistics? GetStatistics(Uri address)
    {
        ArgumentNullException.ThrowIfNull(address);
        return _permits.GetStatistics(Endpoint.Of(address)) is { } permits ? new BulkheadStatistics(permits) : null;
    }

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => _permits.ToString();

    /// <summary>Reads which requests are in progress, and since when.</summary>
    /// <inheritdoc/>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _permits.GetLeases(max);

    /// <summary>Changes <see cref="BulkheadOptions.MaxTotal"/>. Requests in progress beyond a smaller limit continue.</summary>
    /// <param name="maxSize">1 to 1,000,000.</param>
    /// <exception cref="ArgumentException">The number is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The bulkhead is drained or disposed.</exception>
    public void Resize(int maxSize)
    {
        lock (_changing)
        {
            var options = _given.With(_options);
            options.MaxTotal = maxSize;
            Apply(options);
        }
    }

    /// <summary>
    /// Applies new options, either all or none, to every endpoint. Requests in progress continue, and waiting ones keep the
    /// deadlines with which they started.
    /// </summary>
    /// <param name="options">
    /// All settings. <see cref="BulkheadOptions.Name"/>, <see cref="BulkheadOptions.TimeProvider"/> and the meter must be
    /// unchanged.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// Settings are invalid or cannot be changed; the message names each of them. Nothing was changed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The bulkhead is drained or disposed.</exception>
    public void Reconfigure(BulkheadOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        lock (_changing)
        {
            Apply(options);
        }
    }

    /// <summary>
    /// Lets new requests wait until <see cref="Resume"/>, for instance while a service is maintained. Requests in progress
    /// continue.
    /// </summary>
    public void Suspend() => _permits.Suspend();

    /// <summary>Ends a suspension; requests that are already waiting are sent first.</summary>
    public void Resume() => _permits.Resume();

    /// <summary>Rejects new requests, sends those that wait, and completes when the last response has ended.</summary>
    /// <param name="cancellationToken">Ends this wait, not the draining.</param>
    /// <returns>A task that completes when no request is in progress.</returns>
    public Task DrainAsync(CancellationToken cancellationToken = default) => _permits.DrainAsync(cancellationToken);

    /// <summary>Releases the permits that are not in use. They are created again when they are needed.</summary>
    /// <returns>The number of permits released.</returns>
    public int Trim() => _permits.Trim();

    /// <summary>Rejects new requests and those that wait. Requests in progress continue. Repeated calls have no effect.</summary>
    public void Dispose() => _permits.Dispose();

    internal ValueTask<Lease<ConcurrencyPermit>> EnterAsync(Endpoint endpoint, CancellationToken cancellationToken) =>
        _permits.RentAsync(endpoint, cancellationToken);

    internal Lease<ConcurrencyPermit> Enter(Endpoint endpoint, CancellationToken cancellationToken)
    {
        try
        {
            return _permits.Rent(endpoint, cancellationToken);
        }
        catch (Exception refusal) when (BulkheadErrors.IsRefusal(refusal))
        {
            throw Rejected(endpoint, refusal);
        }
    }

    private void Apply(BulkheadOptions options)
    {
        var changed = options.FreezeChange(_given, _options);
        _permits.Reconfigure(changed.ForPermits(this));
        _options = changed;
    }

    internal BulkheadRejectedException Rejected(Endpoint endpoint, Exception refusal, bool isGrpc = false) =>
        BulkheadErrors.Rejected(Name, _options, endpoint, refusal, isGrpc);
}
