using System.Diagnostics;
using System.Globalization;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Debugging;
using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Capacity;
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
    private readonly KeyTable<TKey, Part> _parts;
    private readonly Func<TKey, ResourcePolicy<T>> _policyOf;
    private readonly SharedCapacity<T> _budget;
    private readonly IPool _face;
    private readonly PoolReporter _reporter;
    private readonly PoolClock _clock;
    private readonly DeadlineTimer _alarm;
    private readonly Gate _gate = new();

    // Held while a change is applied to every key, so that two changes reach all keys in the same order.
    private readonly Lock _changing = new();
    private KeyedResourcePoolOptions<TKey> _options;
    private ResourcePoolStatistics _past;
    private int _lastNumber;
    private bool _suspended;
    private bool _closed;

    /// <summary>Creates a pool without keys; a key is added by its first rent.</summary>
    /// <param name="policy">Creates the policy for a key. Called for a new key without a lock, so possibly twice; it should be
    /// cheap.</param>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="policy"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each of them.</exception>
    public KeyedResourcePool(Func<TKey, ResourcePolicy<T>> policy, KeyedResourcePoolOptions<TKey> options)
        : this(policy, options, face: null)
    {
    }

    /// <summary>Creates a pool that is reported as part of another one.</summary>
    internal KeyedResourcePool(Func<TKey, ResourcePolicy<T>> policy, KeyedResourcePoolOptions<TKey> options, IPool? face)
    {
        ArgumentNullException.ThrowIfNull(policy);
        ArgumentNullException.ThrowIfNull(options);
        _policyOf = policy;
        _options = options.Freeze();
        var perKey = _options.Pool;
        Name = perKey.Name ?? PoolNames.For(typeof(T));
        _parts = new KeyTable<TKey, Part>(_options.KeyComparer);
        _budget = new SharedCapacity<T>(_options.MaxSize);
        _clock = new PoolClock(perKey.TimeProvider);
        _alarm = new DeadlineTimer(perKey.TimeProvider, _clock, Look);
        _past = new ResourcePoolStatistics();
        _face = face ?? this;
        _reporter = _face != this ? SilentReporter.Instance : perKey.EffectiveReporter;
        _reporter.Add(this);
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
        RentAsync(key, Options.Pool.RentTimeout, cancellationToken);

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
            if (PartOf(key) is not { } part)
            {
                return ValueTask.FromException<Lease<T>>(RentErrors.Closed(Name));
            }

            var rent = part.Pool.RentAsync(timeout, cancellationToken);
            if (!rent.IsFaulted || !IsForgotten(part))
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
        Rent(key, Options.Pool.RentTimeout, cancellationToken);

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
            var part = PartOf(key) ?? throw RentErrors.Closed(Name);
            try
            {
                return part.Pool.Rent(timeout, cancellationToken);
            }
            catch (ObjectDisposedException) when (IsForgotten(part))
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
        catch (ObjectDisposedException) when (IsForgotten(part))
        {
            return false;
        }
    }

    /// <summary>Reads the combined counters of all keys, including those of forgotten keys.</summary>
    /// <returns>
    /// An immutable snapshot, taken key by key. <see cref="ResourcePoolStatistics.MaxSize"/> is the capacity over all keys;
    /// <see cref="ResourcePoolStatistics.PeakLive"/> adds up the peaks of the keys and is only an upper bound.
    /// </returns>
    public ResourcePoolStatistics GetStatistics()
    {
        using (_gate.Enter())
        {
            return ResourcePoolStatistics.Sum(
                [_past, .. _parts.Values.Select(part => part.Pool.GetStatistics())], maxSize: Options.MaxSize);
        }
    }

    /// <summary>Reads the counters of one key.</summary>
    /// <param name="key">The key.</param>
    /// <returns>An immutable snapshot, or null if the pool does not know the key.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    public ResourcePoolStatistics? GetStatistics(TKey key) =>
        _parts.TryGetValue(key, out var part) ? part.Pool.GetStatistics() : null;

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => GetStatistics().Summarize(Name, Volatile.Read(ref _closed));

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

    bool IInnerPool.IsOpen => !Volatile.Read(ref _closed);

    private KeyedResourcePoolOptions<TKey> Options => Volatile.Read(ref _options);

    /// <summary>The pool of one key, or null; for tests.</summary>
    internal ResourcePool<T>? Find(TKey key) => _parts.TryGetValue(key, out var part) ? part.Pool : null;

    void IInnerPool.RetireRevoked()
    {
        foreach (var part in _parts.Values)
        {
            ((IInnerPool)part.Pool).RetireRevoked();
        }
    }

    private void ThrowIfClosed()
    {
        if (Volatile.Read(ref _closed))
        {
            throw RentErrors.Closed(Name);
        }
    }

    /// <summary>Returns the part of a key, creating it if the key is new; null if the pool is closed.</summary>
    private Part? PartOf(TKey key) =>
        Volatile.Read(ref _closed) ? null
        : _parts.TryGetValue(key, out var part) ? part
        : AddPart(key);

    private Part? AddPart(TKey key)
    {
        // The delegate is user code and not called under the gate. Two threads may both call it; one policy is used.
        var policy = _policyOf(key) ?? throw new InvalidOperationException(
            $"The policy delegate of pool '{Name}' returned null. It must return a policy for every key.");
        var tag = _parts.NewTag(key);
        while (true)
        {
            // Keys are user code too: they are compared before the gate is entered, and again if one was added meanwhile.
            var version = _parts.Version;
            if (_parts.TryGetValue(key, out var part))
            {
                return part;
            }

            using (_gate.Enter())
            {
                if (_closed)
                {
                    return null;
                }

                if (_parts.Version == version)
                {
                    part = NewPartLocked(tag, policy);
                    _parts.AddLocked(tag, part);
                    _alarm.ScheduleAt(PoolClock.Add(_clock.Now, _clock.Ticks(_options.KeyIdleTimeout)));
                    return part;
                }
            }
        }
    }

    private Part NewPartLocked(KeyTable<TKey, Part>.Tag tag, ResourcePolicy<T> policy)
    {
#pragma warning disable CA2000 // It stays in the table until the key is forgotten or the pool is disposed.
        var share = _budget.Join();
        var options = _options.Pool.Copy();
        options.Name = string.Create(CultureInfo.InvariantCulture, $"{Name}/{++_lastNumber}");
        var pool = new ResourcePool<T>(policy, options, share, _face);
        if (_suspended)
        {
            pool.Suspend();
        }

        return new Part(tag, pool, share);
#pragma warning restore CA2000
    }

    /// <summary>Whether the part was closed because its key was forgotten, rather than with the whole pool.</summary>
    private bool IsForgotten(Part part)
    {
        if (part.Pool.Runtime.Core.IsOpen || Volatile.Read(ref _closed))
        {
            return false;
        }

        // The part is closed and removed in one section: after that, the key is unknown.
        using (_gate.Enter())
        {
            return true;
        }
    }

    /// <summary>
    /// Forgets the keys that have had neither items nor callers for <see cref="KeyedResourcePoolOptions{TKey}.KeyIdleTimeout"/>.
    /// </summary>
    private long Look(long now)
    {
        var timeout = _clock.Ticks(Options.KeyIdleTimeout);
        var next = PoolClock.Never;
        foreach (var part in _parts.Values)
        {
            var statistics = part.Pool.GetStatistics();
            if (statistics.Live > 0 || statistics.Waiting > 0 || statistics.Rented != part.RentedWhenUnused)
            {
                part.RentedWhenUnused = statistics.Rented;
                part.UnusedSince = now;
            }

            if (now - part.UnusedSince >= timeout && TryForget(part))
            {
                continue;
            }

            next = Math.Min(next, PoolClock.Add(Math.Max(part.UnusedSince, now - timeout + 1), timeout));
        }

        return next;
    }

    private bool TryForget(Part part)
    {
        using (_gate.Enter())
        {
            if (_closed || !part.Pool.Runtime.Core.TryCloseUnused())
            {
                return false;
            }

            _parts.Remove(part.Tag);
            _past = ResourcePoolStatistics.Sum([_past, part.Pool.GetStatistics().WithoutStates()]);
        }

        _budget.Leave(part.Share);
        part.Pool.Dispose();
        return true;
    }

    /// <summary>The state of one key.</summary>
    private sealed class Part(KeyTable<TKey, Part>.Tag tag, ResourcePool<T> pool, SharedCapacity<T>.Member share)
    {
        /// <summary>The tag under which the part is stored.</summary>
        public KeyTable<TKey, Part>.Tag Tag { get; } = tag;

        public ResourcePool<T> Pool { get; } = pool;

        public SharedCapacity<T>.Member Share { get; } = share;

        /// <summary>When the key was first seen without items and callers. Used only by the periodic check.</summary>
        public long UnusedSince { get; set; }

        public long RentedWhenUnused { get; set; } = -1;
    }
}
