using System.Globalization;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Keyed;

namespace Poolhouse;

/// <summary>A resource pool for each key, with one bound for each key and one for all of them together.</summary>
/// <typeparam name="TKey">The type of the key. A record of everything that makes one item different from another.</typeparam>
/// <typeparam name="T">The type of the item.</typeparam>
/// <remarks>
/// <para>
/// An item is only ever rented for the key that it was created for. Callers of one key are served in the order of arrival. Keys compete
/// only for places: a place that is free goes to the keys that wait for one in turn; a key that waits gets the place of another key's idle
/// item; and while keys compete, each may keep its equal share of <see cref="KeyedResourcePoolOptions{TKey}.MaxSize"/> (at least one
/// place) and gives up what it has beyond as items come back. So creations that fail or hang, and leases that never end, cost a key its
/// own share and not the others theirs.
/// </para>
/// <para>
/// Thread safe. Disposing the pool ends the waits and destroys what is idle; leases go on, and their items are destroyed as they end.
/// </para>
/// </remarks>
public sealed partial class KeyedResourcePool<TKey, T> : IPool, IAsyncDisposable, IDisposable
    where TKey : notnull
    where T : notnull
{
    private readonly KeyTable<TKey, Part> _parts;
    private readonly Func<TKey, ResourcePolicy<T>> _policyOf;
    private readonly KeyedResourcePoolOptions<TKey> _options;
    private readonly SharedCapacity<T> _budget;
    private readonly IPool _face;
    private readonly PoolReporter _reporter;
    private readonly PoolClock _clock;
    private readonly DeadlineTimer _alarm;
    private readonly Gate _gate = new();
    private ResourcePoolStatistics _past;
    private int _lastNumber;
    private bool _closed;

    /// <summary>Makes a pool without keys; a key is there from its first rent on.</summary>
    /// <param name="policy">Makes the policy for a key. Called for a new key without a lock, so perhaps twice; it should be cheap.</param>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="policy"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
    public KeyedResourcePool(Func<TKey, ResourcePolicy<T>> policy, KeyedResourcePoolOptions<TKey> options)
        : this(policy, options, face: null)
    {
    }

    /// <summary>Makes a pool that is reported as another one, of which it is a part, and which reports itself.</summary>
    internal KeyedResourcePool(Func<TKey, ResourcePolicy<T>> policy, KeyedResourcePoolOptions<TKey> options, IPool? face)
    {
        ArgumentNullException.ThrowIfNull(policy);
        ArgumentNullException.ThrowIfNull(options);
        _policyOf = policy;
        _options = options.Freeze();
        var perKey = _options.PerKey;
        Name = perKey.Name ?? PoolNames.For(typeof(T));
        _parts = new KeyTable<TKey, Part>(_options.KeyComparer);
        _budget = new SharedCapacity<T>(_options.MaxSize);
        _clock = new PoolClock(perKey.TimeProvider);
        _alarm = new DeadlineTimer(perKey.TimeProvider, _clock, Look);
        _past = new ResourcePoolStatistics();
        _face = face ?? this;
        _reporter = _face != this ? SilentReporter.Instance : PoolReporter.Of(perKey.Meter, perKey.MeterFactory);
        _reporter.Add(this);
    }

    /// <inheritdoc/>
    public string Name { get; }

    /// <summary>How many keys the pool knows.</summary>
    public int KeyCount => _parts.Count;

    /// <summary>Rents an item of a key; waits at most <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Ends the wait. A lease that was given at the same moment is delivered all the same.</param>
    /// <returns>The lease. Await it once.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <remarks>Throws what <see cref="ResourcePool{T}.RentAsync(CancellationToken)"/> throws, and what the policy delegate throws for a new key.</remarks>
    public ValueTask<Lease<T>> RentAsync(TKey key, CancellationToken cancellationToken = default) =>
        RentAsync(key, _options.PerKey.RentTimeout, cancellationToken);

    /// <summary>Rents an item of a key; waits at most so long.</summary>
    /// <param name="key">The key.</param>
    /// <param name="timeout">Zero or more, at most 49 days, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <param name="cancellationToken">Ends the wait. A lease that was given at the same moment is delivered all the same.</param>
    /// <returns>The lease. Await it once.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <remarks>Throws what <see cref="ResourcePool{T}.RentAsync(CancellationToken)"/> throws, and what the policy delegate throws for a new key.</remarks>
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

            // The key was forgotten between the look-up and the rent: seen, and tried again with a new part.
            _ = rent.AsTask().Exception;
        }
    }

    /// <summary>Rents an item of a key; blocks at most <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Ends the wait. A lease that was given at the same moment is delivered all the same.</param>
    /// <returns>The lease.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <remarks>Throws what <see cref="ResourcePool{T}.Rent(CancellationToken)"/> throws, and what the policy delegate throws for a new key.</remarks>
    public Lease<T> Rent(TKey key, CancellationToken cancellationToken = default) => Rent(key, _options.PerKey.RentTimeout, cancellationToken);

    /// <summary>Rents an item of a key; blocks at most so long.</summary>
    /// <param name="key">The key.</param>
    /// <param name="timeout">Zero or more, at most 49 days, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <param name="cancellationToken">Ends the wait. A lease that was given at the same moment is delivered all the same.</param>
    /// <returns>The lease.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <remarks>Throws what <see cref="ResourcePool{T}.Rent(CancellationToken)"/> throws, and what the policy delegate throws for a new key.</remarks>
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
                // Between the look-up and the rent; tried again with a new part.
            }
        }
    }

    /// <summary>Rents an idle item of a key if there is one that can be used at once.</summary>
    /// <param name="key">The key. One that the pool does not know stays unknown.</param>
    /// <param name="lease">The lease, or one that has ended.</param>
    /// <returns>As <see cref="ResourcePool{T}.TryRent"/>.</returns>
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

    /// <summary>Reads the counters of all keys together, those of forgotten keys included.</summary>
    /// <returns>
    /// An immutable snapshot, taken key by key. <see cref="ResourcePoolStatistics.MaxSize"/> is the bound over all keys;
    /// <see cref="PoolStatistics.PeakLive"/> adds up the peaks of the keys and is no more than an upper bound.
    /// </returns>
    public ResourcePoolStatistics GetStatistics()
    {
        using (_gate.Enter())
        {
            return ResourcePoolStatistics.Sum([_past, .. _parts.Values.Select(part => part.Pool.GetStatistics())]) with { MaxSize = _options.MaxSize };
        }
    }

    /// <summary>Reads the counters of one key.</summary>
    /// <param name="key">The key.</param>
    /// <returns>An immutable snapshot, or null if the pool does not know the key.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    public ResourcePoolStatistics? GetStatistics(TKey key) =>
        _parts.TryGetValue(key, out var part) ? part.Pool.GetStatistics() : null;

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>The pool of one key, or null: for tests.</summary>
    internal ResourcePool<T>? Find(TKey key) => _parts.TryGetValue(key, out var part) ? part.Pool : null;

    /// <summary>Destroys the idle items of which what they rest on is gone.</summary>
    internal void RetireOrphaned()
    {
        foreach (var part in _parts.Values)
        {
            part.Pool.RetireOrphaned();
        }
    }

    private void ThrowIfClosed()
    {
        if (Volatile.Read(ref _closed))
        {
            throw RentErrors.Closed(Name);
        }
    }

    /// <summary>The part of a key, made if it is new; null if the pool is closed.</summary>
    private Part? PartOf(TKey key) =>
        Volatile.Read(ref _closed) ? null
        : _parts.TryGetValue(key, out var part) ? part
        : AddPart(key);

    private Part? AddPart(TKey key)
    {
        // The delegate is the user's: not under the gate. Two threads may both call it; one policy is used.
        var policy = _policyOf(key) ?? throw new InvalidOperationException(
            $"The policy delegate of pool '{Name}' returned null. It must make a policy for every key.");
        var tag = _parts.NewTag(key);
        while (true)
        {
            // Keys are the user's too: they are compared before the gate, and again if one was added meanwhile.
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
#pragma warning disable CA2000 // It lives in the table until the key is forgotten or the pool is disposed.
        var share = _budget.Join();
        var options = _options.PerKey.Freeze();
        options.Name = string.Create(CultureInfo.InvariantCulture, $"{Name}/{++_lastNumber}");
        return new Part(tag, new ResourcePool<T>(policy, options, share, _face), share);
#pragma warning restore CA2000
    }

    /// <summary>Whether the part was closed because its key was forgotten, and not with the whole pool.</summary>
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

    /// <summary>Forgets the keys that have had neither items nor callers for long enough.</summary>
    private long Look(long now)
    {
        var timeout = _clock.Ticks(_options.KeyIdleTimeout);
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

    /// <summary>What belongs to one key.</summary>
    private sealed class Part(KeyTable<TKey, Part>.Tag tag, ResourcePool<T> pool, SharedCapacity<T>.Member share)
    {
        /// <summary>What it is filed under.</summary>
        public KeyTable<TKey, Part>.Tag Tag { get; } = tag;

        public ResourcePool<T> Pool { get; } = pool;

        public SharedCapacity<T>.Member Share { get; } = share;

        /// <summary>When the key was first seen without items and callers. For the one that looks.</summary>
        public long UnusedSince { get; set; }

        public long RentedWhenUnused { get; set; } = -1;
    }
}
