using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Capacity;

namespace Poolhouse.Resources.Keyed;

/// <summary>
/// The pools of all keys: adds one when its key is first used, forgets it when it has not been used for a while, and applies
/// changes to each of them.
/// </summary>
// Invariants
//   a part is in the table from its creation until its key is forgotten; one that is not in the table any more is closed
//   a part has the current settings, and is suspended or not like the others, whenever it was added: what is new is written under
//   the gate, where parts are added, before it is applied to the parts that existed then
//   counters never fall: those of a part are added to _past in the section that removes it
// Locks: the gate, under which keys and the policy delegate are not called, and a part is called only to create it, to read its
//   statistics, and to close an unused one; _changing outside the gate. A lookup takes no lock.
// It derives from the table, so that a rent by key finds both the state and the table in one object.
internal sealed class KeyedParts<TKey, T> : KeyTable<TKey, KeyedPart<TKey, T>>, IDisposable
    where TKey : notnull
    where T : notnull
{
    private readonly string _name;
    private readonly Func<TKey, ResourcePolicy<T>> _policyOf;
    private readonly SharedCapacity<T> _capacity;
    private readonly IPool _reportedAs;
    private readonly PoolClock _clock;
    private readonly DeadlineTimer _timer;
    private readonly Gate _gate = new();

    // Held while a change is applied to every key, so that two changes reach all keys in the same order.
    private readonly Lock _changing = new();
    private KeyedResourcePoolOptions<TKey> _options;
    private ResourcePoolStatistics _past;
    private int _lastNumber;
    private bool _suspended;
    private bool _closed;

    /// <param name="name">The name of the pool.</param>
    /// <param name="policyOf">Creates the policy for a key.</param>
    /// <param name="options">The validated settings.</param>
    /// <param name="reportedAs">The pool that reports the figures of the parts as its own.</param>
    public KeyedParts(
        string name, Func<TKey, ResourcePolicy<T>> policyOf, KeyedResourcePoolOptions<TKey> options, IPool reportedAs)
        : base(options.KeyComparer)
    {
        _name = name;
        _policyOf = policyOf;
        _options = options;
        _reportedAs = reportedAs;
        _capacity = new SharedCapacity<T>(options.MaxSize);
        _clock = new PoolClock(options.Pool.TimeProvider);
        _timer = new DeadlineTimer(options.Pool.TimeProvider, _clock, ForgetUnused);
        _past = new ResourcePoolStatistics();
    }

    public KeyedResourcePoolOptions<TKey> Options => Volatile.Read(ref _options);

    public bool IsClosed => Volatile.Read(ref _closed);

    /// <summary>Returns the part of a key, creating it if the key is new; null if the pool is closed.</summary>
    public KeyedPart<TKey, T>? FindOrAdd(TKey key) =>
        Volatile.Read(ref _closed) ? null
        : TryGetValue(key, out var part) ? part
        : Add(key);

    /// <summary>Whether the part was closed because its key was forgotten, rather than with the whole pool.</summary>
    public bool IsForgotten(KeyedPart<TKey, T> part)
    {
        if (part.Pool.Runtime.Core.IsOpen || Volatile.Read(ref _closed))
        {
            return false;
        }

        // The part is closed and removed in one section: once this thread has entered the gate, the key is unknown.
        using (_gate.Enter())
        {
            return true;
        }
    }

    /// <inheritdoc cref="SharedCapacity{T}.LimitBy"/>
    public Action LimitBy(Func<int> countWithoutRoom) => _capacity.LimitBy(countWithoutRoom);

    /// <summary>The counters of all keys, including those of forgotten keys.</summary>
    public ResourcePoolStatistics GetStatistics()
    {
        using (_gate.Enter())
        {
            return ResourcePoolStatistics.Sum(
                [_past, .. Values.Select(part => part.Pool.GetStatistics())],
                maxSize: Options.MaxSize,
                suspended: _suspended,
                closed: _closed);
        }
    }

    /// <summary>Applies new settings to every key: those that are known, and those that will be added.</summary>
    /// <param name="change">Returns the settings, given the current ones; they must be validated.</param>
    public void Reconfigure(Func<KeyedResourcePoolOptions<TKey>, KeyedResourcePoolOptions<TKey>> change)
    {
        lock (_changing)
        {
            Apply(change(Options));
        }
    }

    /// <param name="suspended">The state of all keys; those that are added later are created in it.</param>
    /// <param name="apply">Applies it to the pool of one key.</param>
    public void SetSuspended(bool suspended, Action<ResourcePool<T>> apply)
    {
        lock (_changing)
        {
            KeyedPart<TKey, T>[] parts;
            using (_gate.Enter())
            {
                _suspended = suspended;
                parts = [.. Values];
            }

            Array.ForEach(parts, part => apply(part.Pool));
        }
    }

    /// <summary>Rejects all further callers and keys.</summary>
    /// <returns>The parts to close, which stay in the table.</returns>
    public KeyedPart<TKey, T>[] Close()
    {
        using (_gate.Enter())
        {
            _closed = true;
            return [.. Values];
        }
    }

    /// <summary>Ends the periodic check.</summary>
    public void Dispose() => _timer.Dispose();

    private KeyedPart<TKey, T>? Add(TKey key)
    {
        // The delegate and the policy are user code and not called under the gate. Two threads may both call the delegate; one of
        // the policies is used.
        var policy = _policyOf(key) ?? throw new InvalidOperationException(
            $"The policy delegate of pool '{_name}' returned null. It must return a policy for every key.");
        var hooks = policy.Hooks;
        var tag = NewTag(key);
        while (true)
        {
            // Keys are user code too: they are compared before the gate is entered, and again if one was added meanwhile.
            var version = Version;
            if (TryGetValue(key, out var part))
            {
                return part;
            }

            try
            {
                using (_gate.Enter())
                {
                    if (_closed)
                    {
                        return null;
                    }

                    if (Version == version)
                    {
                        part = NewPartLocked(tag, policy, hooks);
                        AddLocked(tag, part);
                        _timer.ScheduleAt(PoolClock.Add(_clock.Now, _clock.Ticks(_options.KeyIdleTimeout)));
                        return part;
                    }
                }
            }
            catch when (part is not null && !Contains(tag))
            {
                // There is not enough memory to add it. Not under the gate, because the capacity is offered to the other pools.
                part.Pool.Dispose();
                _capacity.Leave(part.Share);
                throw;
            }
        }
    }

    private KeyedPart<TKey, T> NewPartLocked(Tag tag, ResourcePolicy<T> policy, ResourceHooks hooks)
    {
        var share = _capacity.Join();
        var options = _options.Pool.Copy();
        options.Name = $"{_name}/{++_lastNumber}";
        var pool = new ResourcePool<T>(policy, options, share, _reportedAs, hooks);
        if (_suspended)
        {
            pool.Suspend();
        }

        return new KeyedPart<TKey, T>(tag, pool, share);
    }

    /// <summary>
    /// Forgets the keys that have had neither items nor callers for <see cref="KeyedResourcePoolOptions{TKey}.KeyIdleTimeout"/>.
    /// </summary>
    /// <returns>When to check again.</returns>
    private long ForgetUnused(long now)
    {
        if (IsClosed)
        {
            return PoolClock.Never;
        }

        var timeout = _clock.Ticks(Options.KeyIdleTimeout);
        var next = PoolClock.Never;
        foreach (var part in Values)
        {
            var unusedSince = part.UnusedSince(now);
            var isDue = now - unusedSince >= timeout;
            if (!isDue || !TryForget(part))
            {
                // A key that may not be forgotten, because it warms up or keeps a minimum, is checked again after the same time.
                next = Math.Min(next, PoolClock.Add(isDue ? now : unusedSince, timeout));
            }
        }

        return next;
    }

    private bool TryForget(KeyedPart<TKey, T> part)
    {
        using (_gate.Enter())
        {
            if (_closed || !part.Pool.Runtime.Core.Operators.TryCloseUnused())
            {
                return false;
            }

            Remove(part.Tag);
            _past = ResourcePoolStatistics.Sum([_past, part.Pool.GetStatistics().WithoutStates()]);
        }

        _capacity.Leave(part.Share);
        part.Pool.Dispose();
        return true;
    }

    private void Apply(KeyedResourcePoolOptions<TKey> options)
    {
        KeyedPart<TKey, T>[] parts;
        using (_gate.Enter())
        {
            if (_closed)
            {
                throw RentErrors.Closed(_name);
            }

            // A key that is added from here on has the new settings, and is not among the parts.
            Volatile.Write(ref _options, options);
            parts = [.. Values];
        }

        foreach (var part in parts)
        {
            part.Pool.ApplyValidated(options.Pool);
        }

        _capacity.Resize(options.MaxSize);
        foreach (var part in parts)
        {
            part.Pool.Runtime.WarmUps.Progress();
        }

        if (parts.Length > 0)
        {
            _timer.ScheduleAt(PoolClock.Add(_clock.Now, _clock.Ticks(options.KeyIdleTimeout)));
        }
    }
}
