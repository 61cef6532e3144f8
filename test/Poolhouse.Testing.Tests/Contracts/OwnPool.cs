namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>
/// A pool that shares no engine with this library: one lock, a queue, and leases of a <see cref="LeaseSource{T}"/>.
/// </summary>
/// <remarks>
/// It creates, taints, discards, clears, resizes, suspends, drains and disposes; it neither validates nor resets, and retries no
/// creation.
/// </remarks>
// Invariants
//   _live is the number of items that exist or are being created, and changes only under the gate
//   a waiter is ended once, under the gate, by an item, its deadline, its token or the end of the pool
// Locks: the gate. Hooks of the policy run outside, never on the stack of a caller; continuations of waiters run asynchronously.
internal sealed class OwnPool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options)
    : LeaseSource<ContractItem>(options.Name ?? PoolNames.For(typeof(ContractItem)))
{
    private readonly Lock _gate = new();
    private readonly TimeProvider _clock = options.TimeProvider;
    private readonly LinkedList<OwnPoolWaiter> _waiters = [];
    private readonly Stack<LeasableItem<ContractItem>> _idle = [];
    private readonly HashSet<LeasableItem<ContractItem>> _inUse = [];

    // Leased when the pool was cleared, and destroyed when they are returned.
    private readonly HashSet<LeasableItem<ContractItem>> _expired = [];
    private readonly Dictionary<DestroyReason, long> _destroyed = [];
    private readonly TaskCompletionSource _drained = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task _destructions = Task.CompletedTask;
    private int _maxSize = options.MaxSize;
    private int _generation;
    private int _live;
    private int _peak;
    private int _creating;
    private int _destroying;
    private long _rented;
    private long _returned;
    private long _created;
    private long _detached;
    private bool _isSuspended;
    private bool _isClosed;

    public async Task<Lease<ContractItem>> RentAsync(TimeSpan? timeout, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var limit = timeout ?? options.RentTimeout;
        using var waiter = new OwnPoolWaiter(_clock);
        waiter.Begin(
            limit, () => End(waiter, TimedOut), () => End(waiter, _ => new OperationCanceledException(cancellationToken)),
            cancellationToken);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            var canServe = !_isSuspended && _waiters.Count == 0 && _idle.Count > 0;
            if (!canServe && limit == TimeSpan.Zero)
            {
                throw TimedOut(waiter);
            }

            if (!canServe && _waiters.Count >= options.MaxWaiters)
            {
                throw new PoolOverloadedException($"Pool '{Name}': MaxWaiters is reached.", Name, TimeSpan.Zero, ReadLocked());
            }

            waiter.QueueLocked(_waiters);
            ServeLocked();
        }

        return await waiter.Task.ConfigureAwait(false);
    }

    public bool TryRent(out Lease<ContractItem> lease)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            var canServe = !_isSuspended && _waiters.Count == 0 && _idle.Count > 0;
            lease = canServe ? LeaseLocked(_idle.Pop()) : default;
            return canServe;
        }
    }

    public ResourcePoolStatistics GetStatistics()
    {
        lock (_gate)
        {
            return ReadLocked();
        }
    }

    public void Resize(int maxSize) => Change(() => _maxSize = maxSize);

    public void Suspend() => Change(() => _isSuspended = true);

    public void Resume() => Change(() => _isSuspended = false);

    public void Clear() => Change(ClearLocked);

    public void Invalidate(Lease<ContractItem> lease)
    {
        if (FindItem(lease) is not null)
        {
            lease.Taint();
            Clear();
        }
    }

    public int Trim()
    {
        lock (_gate)
        {
            return DestroyIdleLocked(DestroyReason.Trimmed);
        }
    }

    public Task DrainAsync()
    {
        Change(() => _isClosed = true);
        return _drained.Task;
    }

    public Task DisposeAsync()
    {
        Change(Close);
        lock (_gate)
        {
            return _destructions;
        }
    }

    protected override void OnReturned(LeasableItem<ContractItem> item, bool isTainted) => Change(() =>
    {
        _returned++;
        var isExpired = EndLocked(item);
        if (isTainted || isExpired)
        {
            DestroyLocked(item, isTainted ? DestroyReason.Tainted : DestroyReason.Cleared);
        }
        else
        {
            _idle.Push(item);
        }
    });

    protected override void OnDiscarded(LeasableItem<ContractItem> item) => Change(() =>
    {
        _returned++;
        EndLocked(item);
        DestroyLocked(item, DestroyReason.Discarded);
    });

    protected override void OnDetached(LeasableItem<ContractItem> item) => Change(() =>
    {
        EndLocked(item);
        _live--;
        _detached++;
    });

    private void End(OwnPoolWaiter waiter, Func<OwnPoolWaiter, Exception> reason) =>
        Change(() => waiter.TryEndLocked(reason(waiter)));

    private void Close()
    {
        _isClosed = true;
        while (_waiters.First?.Value is { } waiter)
        {
            waiter.TryEndLocked(new ObjectDisposedException(Name));
        }
    }

    private void Change(Action change)
    {
        lock (_gate)
        {
            change();
            ServeLocked();
        }
    }

    /// <summary>Serves waiters with idle items, creates the missing ones, and destroys those that must not stay.</summary>
    private void ServeLocked()
    {
        while (!_isSuspended && _idle.Count > 0 && _waiters.First?.Value is { } next && _live - _destroying <= _maxSize)
        {
            next.TryEndLocked(LeaseLocked(_idle.Pop()));
        }

        while (_live - _destroying > _maxSize && _idle.Count > 0)
        {
            DestroyLocked(_idle.Pop(), DestroyReason.Surplus);
        }

        for (; !_isSuspended && _live < _maxSize && _creating < _waiters.Count; _creating++)
        {
            _peak = Math.Max(_peak, ++_live);
            var generation = _generation;
            _ = Task.Run(() => CreateAsync(generation));
        }

        if (_isClosed && _waiters.Count == 0)
        {
            DestroyIdleLocked(DestroyReason.PoolDisposed);
            if (_live == 0)
            {
                _drained.TrySetResult();
            }
        }
    }

    private Lease<ContractItem> LeaseLocked(LeasableItem<ContractItem> item)
    {
        _inUse.Add(item);
        _rented++;
        return BeginLease(item);
    }

    /// <returns>Whether the pool was cleared during the lease.</returns>
    private bool EndLocked(LeasableItem<ContractItem> item)
    {
        _inUse.Remove(item);
        return _expired.Remove(item);
    }

    private void ClearLocked()
    {
        _generation++;
        _expired.UnionWith(_inUse);
        DestroyIdleLocked(DestroyReason.Cleared);
    }

    private int DestroyIdleLocked(DestroyReason reason)
    {
        var count = _idle.Count;
        while (_idle.TryPop(out var item))
        {
            DestroyLocked(item, reason);
        }

        return count;
    }

    private void DestroyLocked(LeasableItem<ContractItem> item, DestroyReason reason)
    {
        _destroying++;
        _destroyed[reason] = _destroyed.GetValueOrDefault(reason) + 1;
        var destruction = Task.Run(async () =>
        {
            try
            {
                await policy.DestroyAsync(item.Value, reason).ConfigureAwait(false);
            }
            finally
            {
                Change(() =>
                {
                    _destroying--;
                    _live--;
                });
            }
        });
        _destructions = Task.WhenAll(_destructions, destruction);
    }

    private async Task CreateAsync(int generation)
    {
        try
        {
            var value = await policy.CreateAsync(CancellationToken.None).ConfigureAwait(false);
            Change(() =>
            {
                _creating--;
                _created++;
                var item = Add(value);
                if (generation == _generation)
                {
                    _idle.Push(item);
                }
                else
                {
                    DestroyLocked(item, DestroyReason.Cleared);
                }
            });
        }
        catch (Exception failure)
        {
            Change(() =>
            {
                _creating--;
                _live--;
                _waiters.First?.Value.TryEndLocked(failure);
            });
        }
    }

    private PoolTimeoutException TimedOut(OwnPoolWaiter waiter) => new(
        $"Pool '{Name}': no item in time.", Name, _isSuspended ? RentPhase.Suspended : RentPhase.Return, waiter.Elapsed,
        ReadLocked());

    private ResourcePoolStatistics ReadLocked() => new(_destroyed)
    {
        MaxSize = _maxSize,
        Live = _live,
        PeakLive = _peak,
        Idle = _idle.Count,
        Leased = _inUse.Count,
        Creating = _creating,
        Destroying = _destroying,
        Waiting = _waiters.Count,
        Rented = _rented,
        Returned = _returned,
        Created = _created,
        Detached = _detached,
        DoubleReturns = DoubleReturns,
        Suspended = _isSuspended,
    };
}
