using System.Diagnostics;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Keyed;

namespace Poolhouse;

/// <summary>
/// A pool that keeps separate items for each key, with one capacity limit for each key and one for all keys together.
/// </summary>
/// <typeparam name="TKey">The type of the key: preferably a record of everything that distinguishes one item from
/// another.</typeparam>
/// <typeparam name="T">The type of the item.</typeparam>
/// <remarks>
/// <para>
/// An item is only ever rented for the key that it was created for. Callers of one key are served in order of arrival. Keys
/// compete only for capacity: a free slot is offered in turn to the keys that are waiting for one; a waiting key takes the slot
/// of another key's idle item; and while keys compete, each may keep its equal share of
/// <see cref="KeyedResourcePoolOptions{TKey}.MaxSize"/> (at least one slot) and gives up anything beyond that as items are
/// returned. So creations that fail or hang, and leases that never end, use up only the share of their own key and not that of
/// the others.
/// </para>
/// <para>
/// Thread safe. Disposing the pool ends the waits and destroys idle items; leases remain active, and their items are destroyed as
/// they end.
/// </para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(PoolDebugView))]
public sealed partial class KeyedResourcePool<TKey, T> : IPool, IInnerPool, IAsyncDisposable, IDisposable
    where TKey : notnull
    where T : notnull
{
    private readonly KeyedParts<TKey, T> _parts;
    private readonly ReporterRegistration _registration;

    /// <summary>Creates a pool without keys; a key is added by its first rent.</summary>
    /// <param name="policy">Creates the policy for a key. Called for a new key without a lock, so possibly twice; it should be
    /// cheap.</param>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="policy"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each of them.</exception>
    public KeyedResourcePool(Func<TKey, ResourcePolicy<T>> policy, KeyedResourcePoolOptions<TKey> options)
        : this(policy, options, reportedAs: null)
    {
    }

    /// <summary>Creates a pool that is reported as part of another one.</summary>
    internal KeyedResourcePool(Func<TKey, ResourcePolicy<T>> policy, KeyedResourcePoolOptions<TKey> options, IPool? reportedAs)
    {
        ArgumentNullException.ThrowIfNull(policy);
        ArgumentNullException.ThrowIfNull(options);
        var settings = options.Freeze();
        Name = settings.Pool.Name ?? PoolNames.For(typeof(T));
        _parts = new KeyedParts<TKey, T>(Name, policy, settings, reportedAs ?? this);
        _registration = new ReporterRegistration(
            reportedAs is null ? settings.Pool.EffectiveReporter : SilentReporter.Instance, this);
    }

    /// <inheritdoc/>
    public string Name { get; }

    /// <summary>The number of keys that the pool currently knows.</summary>
    public int KeyCount => _parts.Count;

    /// <summary>Rents an item of a key; waits at most for <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Ends the wait. A lease that was granted at the same moment is still delivered.</param>
    /// <returns>The lease. Await it once.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <remarks>
    /// Throws the exceptions of <see cref="ResourcePool{T}.RentAsync(CancellationToken)"/>, and those of the policy delegate for
    /// a new key.
    /// </remarks>
    public ValueTask<Lease<T>> RentAsync(TKey key, CancellationToken cancellationToken = default) =>
        RentAsync(key, _parts.Options.Pool.RentTimeout, cancellationToken);

    /// <summary>Rents an item of a key; waits at most for the given timeout.</summary>
    /// <param name="key">The key.</param>
    /// <param name="timeout">Zero or more, at most 49 days, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <param name="cancellationToken">Ends the wait. A lease that was granted at the same moment is still delivered.</param>
    /// <returns>The lease. Await it once.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <remarks>
    /// Throws the exceptions of <see cref="ResourcePool{T}.RentAsync(CancellationToken)"/>, and those of the policy delegate for
    /// a new key.
    /// </remarks>
    public ValueTask<Lease<T>> RentAsync(TKey key, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        while (true)
        {
            if (_parts.FindOrAdd(key) is not { } part)
            {
                return ValueTask.FromException<Lease<T>>(RentErrors.Closed(Name));
            }

            var rent = part.Pool.RentAsync(timeout, cancellationToken);
            if (!rent.IsFaulted || !_parts.IsForgotten(part))
            {
                return rent;
            }

            // The key was forgotten between the lookup and the rent: observe the exception and retry with a new part.
            _ = rent.AsTask().Exception;
        }
    }

    /// <summary>Rents an item of a key; blocks for at most <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Ends the wait. A lease that was granted at the same moment is still delivered.</param>
    /// <returns>The lease.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <remarks>
    /// Throws the exceptions of <see cref="ResourcePool{T}.Rent(CancellationToken)"/>, and those of the policy delegate for a new
    /// key.
    /// </remarks>
    public Lease<T> Rent(TKey key, CancellationToken cancellationToken = default) =>
        Rent(key, _parts.Options.Pool.RentTimeout, cancellationToken);

    /// <summary>Rents an item of a key; blocks for at most the given timeout.</summary>
    /// <param name="key">The key.</param>
    /// <param name="timeout">Zero or more, at most 49 days, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <param name="cancellationToken">Ends the wait. A lease that was granted at the same moment is still delivered.</param>
    /// <returns>The lease.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <remarks>
    /// Throws the exceptions of <see cref="ResourcePool{T}.Rent(CancellationToken)"/>, and those of the policy delegate for a new
    /// key.
    /// </remarks>
    public Lease<T> Rent(TKey key, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        while (true)
        {
            var part = _parts.FindOrAdd(key) ?? throw RentErrors.Closed(Name);
            try
            {
                return part.Pool.Rent(timeout, cancellationToken);
            }
            catch (ObjectDisposedException) when (_parts.IsForgotten(part))
            {
                // The key was forgotten between the lookup and the rent; retry with a new part.
            }
        }
    }

    /// <summary>Rents an idle item of a key if one can be used at once.</summary>
    /// <param name="key">The key. An unknown key is not added to the pool.</param>
    /// <param name="lease">The lease, or one that has ended.</param>
    /// <returns>The same as <see cref="ResourcePool{T}.TryRent"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public bool TryRent(TKey key, out Lease<T> lease)
    {
        ThrowIfClosed();
        lease = default;
        if (!_parts.TryGetValue(key, out var part))
        {
            return false;
        }

        try
        {
            return part.Pool.TryRent(out lease);
        }
        catch (ObjectDisposedException) when (_parts.IsForgotten(part))
        {
            return false;
        }
    }

    /// <summary>Reads the combined counters of all keys, including those of forgotten keys.</summary>
    /// <returns>
    /// An immutable snapshot, taken key by key. <see cref="ResourcePoolStatistics.MaxSize"/> is the capacity over all keys;
    /// <see cref="ResourcePoolStatistics.PeakLive"/> adds up the peaks of the keys and is only an upper bound.
    /// </returns>
    public ResourcePoolStatistics GetStatistics() => _parts.GetStatistics();

    /// <summary>Reads the counters of one key.</summary>
    /// <param name="key">The key.</param>
    /// <returns>An immutable snapshot, or null if the pool does not know the key.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    public ResourcePoolStatistics? GetStatistics(TKey key) =>
        _parts.TryGetValue(key, out var part) ? part.Pool.GetStatistics() : null;

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    // Keys usually have their servers in common, and each reports the same. If they have sets of their own, the state in which a
    // server failed is shown, with the counts of all.
    IReadOnlyList<ServerStatistics<string>> IPool.GetServers() => [.. _parts.Values
        .SelectMany(static part => ((IPool)part.Pool).GetServers()).OrderByDescending(static server => server.FailuresInRow)
        .GroupBy(static server => server.Server, StringComparer.Ordinal)
        .Select(static reports => Sum([.. reports.DistinctBy(static report => report.Source)]))];

    /// <summary>Adds up what several sets count about a server, with the state in the first of them.</summary>
    private static ServerStatistics<string> Sum(IReadOnlyList<ServerStatistics<string>> sets) => new()
    {
        Server = sets[0].Server,
        Health = sets[0].Health,
        Role = sets[0].Role,
        Items = sets.Sum(static each => each.Items),
        Creating = sets.Sum(static each => each.Creating),
        Created = sets.Sum(static each => each.Created),
        Failures = sets.Sum(static each => each.Failures),
        FailuresInRow = sets[0].FailuresInRow,
        DownFor = sets[0].DownFor,
        LastFailure = sets[0].LastFailure,
        RecheckIn = sets[0].RecheckIn,
    };

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => GetStatistics().Summarize(Name);

    /// <summary>Reads which items are leased, of all keys, since when and by whom, without stopping the pool.</summary>
    /// <param name="max">The maximum number of leases to return; 0 or more.</param>
    /// <returns>
    /// The oldest leases first; one that ends meanwhile is left out. Items of different keys may have the same number.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="max"/> is negative.</exception>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) =>
        LeaseReader.Merge(_parts.Values.Select(part => part.Pool.GetLeases(max)), max);

    /// <summary>Reads which items of one key are leased.</summary>
    /// <param name="key">The key.</param>
    /// <param name="max">The maximum number of leases to return; 0 or more.</param>
    /// <returns>The oldest leases first; empty if the pool does not know the key.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="max"/> is negative.</exception>
    public IReadOnlyList<LeaseSnapshot> GetLeases(TKey key, int max)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(max);
        return _parts.TryGetValue(key, out var part) ? part.Pool.GetLeases(max) : [];
    }

    bool IInnerPool.IsOpen => !_parts.IsClosed;

    /// <inheritdoc cref="KeyedParts{TKey, T}.LimitBy"/>
    internal Action LimitBy(Func<int> countWithoutRoom) => _parts.LimitBy(countWithoutRoom);

    /// <summary>The pool of one key, or null; for tests.</summary>
    internal ResourcePool<T>? Find(TKey key) => _parts.TryGetValue(key, out var part) ? part.Pool : null;

    void IInnerPool.DestroyBrokenByParent()
    {
        foreach (var part in _parts.Values)
        {
            ((IInnerPool)part.Pool).DestroyBrokenByParent();
        }
    }

    private void ThrowIfClosed()
    {
        if (_parts.IsClosed)
        {
            throw RentErrors.Closed(Name);
        }
    }
}
