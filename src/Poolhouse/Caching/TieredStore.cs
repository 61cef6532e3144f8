using System.Runtime.CompilerServices;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Caching;

/// <summary>
/// Interchangeable items of one weight on two levels: a stack for each thread, and a depot that all threads share.
/// </summary>
// Bonwick's magazines adapted to .NET (Magazines and Vmem, USENIX 2001): a thread works on its own stack and exchanges a batch
// with the depot when the stack runs empty or full, so the shared cost is incurred once per batch.
// Invariants
//   slots charged to the budget = limits of all stacks + depot count + quarantine count; an item never moves without the slot it
//   was charged with
//   _onThreads = the sum of the stacks' limits
//   with a stack capacity of 0, all limits are 0 forever, and every item is in the depot
//   with a quarantine, all limits are 0 forever, so that every operation comes here; a returned item waits in the quarantine
//   until enough others were returned, or until a tick finds that it was there at the previous one, and moves it to the depot
// Locks: _gate guards the depot, the quarantine, the table, every limit, and the content of closed stacks. Only the locks of the
// other stores of the cache are taken under it, by a snapshot. No user code runs under it.
internal sealed class TieredStore(
    RetentionBudget budget, long weight, int stackCapacity = ThreadStack.Capacity, int? quarantine = null)
{
    private const int AttemptsPerCheck = 16;

    private readonly Gate _gate = new();
    private readonly Depot _depot = new();
    private readonly Quarantine? _quarantine = quarantine is { } length ? new Quarantine(length) : null;

    // A thread that returns items rented by others passes them on early, so that those threads find them; in smaller batches if
    // the limit is small.
    private readonly int _producerBatch = (int)Math.Clamp(budget.Max / weight / 8, 1, Math.Max(1, stackCapacity / 2));
    private ThreadStack?[] _stacks = [];
    private int _onThreads;
    private long _trimmed;
    private bool _closed;

    /// <summary>The number of budget units that one item takes.</summary>
    public long Weight { get; } = weight;

    /// <summary>The current stacks; see <see cref="ThreadStack.Find"/> for keeping a copy.</summary>
    public ThreadStack?[] Table => Volatile.Read(ref _stacks);

    /// <summary>Brings a copy of the table up to date.</summary>
    // Written only if it changed: storing a reference costs more than the comparison, and other threads read the copy.
    public void CopyTable(ref ThreadStack?[] copy)
    {
        if (copy != Table)
        {
            copy = Table;
        }
    }

    /// <summary>The current thread's stack. Fetched once per slow path, because finding it is a large part of its cost.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ThreadStack Own()
    {
        var index = ThreadIndex.GetOrAssign();
        var stacks = _stacks;
        return (uint)index < (uint)stacks.Length && stacks[index] is { } stack ? stack : AddStack(index);
    }

    /// <summary>
    /// Slots on threads' stacks, with or without an item, that a sweep could reclaim. A hint, read without the lock.
    /// </summary>
    public int CapacityOnThreads => Volatile.Read(ref _onThreads);

    /// <summary>
    /// Whether a thread that found no item, or no free slot, should read the clock and possibly sweep: the first time, and then
    /// occasionally, because the check costs as much as the rest of a miss.
    /// </summary>
    /// <param name="own">The current thread's stack.</param>
    /// <param name="elsewhere">Slots on threads' stacks of other stores that would help as well.</param>
    public bool MayGainFromOthers(ThreadStack own, int elsewhere) =>
        CapacityOnThreads - own.Limit + elsewhere > 0 && own.Starved++ % AttemptsPerCheck == 0;

    /// <summary>Whether the current thread can add one more item, as far as can be determined.</summary>
    public bool HasRoom => budget.Free >= Weight || (Own() is var stack && stack.Count < stack.Limit);

    /// <summary>
    /// Takes an item from the stack, which is refilled with a batch from the depot if it is empty. The thread's unused slots are
    /// returned to the budget, unless the thread is likely to need them for its own returns soon.
    /// </summary>
    /// <returns>An item, or null if the depot is empty as well.</returns>
    // The stack of a thread that has just begun is not always empty: a thread that ended may have left items on it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public object? PopFromDepot(ThreadStack stack) =>
        stack.Count == 0 && _depot.Count == 0 && (stack.Limit == 0 || stack.KeepsSlots()) ? null : PopUnderLock(stack);

    /// <summary>Finds a slot for an item that the fast path could not store.</summary>
    // The overflow of a pool that is too small comes here often, so it avoids the lock.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public PushResult PushToDepot(ThreadStack stack, object item) =>
        budget.Free < Weight && (stack.IsFullWithout(item) || (stack.Limit == 0 && !stack.WasSwept && _depot.Top != item))
            ? PushResult.Surplus
            : PushUnderLock(stack, item);

    /// <summary>Whether the item is the one that the current thread returned last, and is still here.</summary>
    public bool IsOnTop(ThreadStack own, object item)
    {
        using (_gate.Enter())
        {
            return IsOnTopLocked(own, item);
        }
    }

    /// <summary>
    /// Takes an item whose quarantine has ended. For a store with a quarantine.
    /// </summary>
    /// <param name="own">The current thread's stack, which counts the rent.</param>
    /// <param name="stamp">The stamp with which the item was returned, if it is known.</param>
    /// <returns>The item, or null if there is none.</returns>
    public object? PopFromQuarantine(ThreadStack own, out object? stamp)
    {
        using (_gate.Enter())
        {
            if (!_quarantine!.TryTake(isEarly: false, out var item, out stamp) && (item = _depot.Pop()) is null)
            {
                // While the budget is used up, no other item can be returned.
                _quarantine.TryTake(isEarly: budget.Free < Weight, out item, out stamp);
            }

            return ReleaseLocked(own, item);
        }
    }

    /// <summary>Puts an item in the quarantine. For a store with one.</summary>
    /// <param name="item">The item.</param>
    /// <param name="stamp">What <see cref="PopFromQuarantine"/> returns together with it.</param>
    public PushResult PushToQuarantine(object item, object stamp)
    {
        using (_gate.Enter())
        {
            if (_closed)
            {
                return PushResult.Closed;
            }

            // First, because it may allocate.
            _quarantine!.ReserveOne();
            if (budget.Take(1, Weight) == 0)
            {
                return PushResult.Surplus;
            }

            _quarantine.Add(item, stamp);
            return PushResult.Kept;
        }
    }

    /// <summary>Moves the items of all threads to the depot and returns their unused slots to the budget.</summary>
    public void Gather()
    {
        using (_gate.Enter())
        {
            GatherLocked();
        }
    }

    /// <summary>
    /// Handles a tick of the maintenance clock: idle items are removed, the others are gathered and start to age.
    /// </summary>
    /// <param name="wholeTimeout">True: items idle for a whole timeout. False: items idle since the last tick.</param>
    /// <param name="removed">Receives the items, for destruction outside the lock; null if they need none.</param>
    /// <returns>The number of items removed.</returns>
    public int TrimIdle(bool wholeTimeout, List<object?>? removed)
    {
        using (_gate.Enter())
        {
            var count = Remove(_depot.EndTick(wholeTimeout), removed);
            GatherLocked();
            _quarantine?.MoveTo(_depot, onlyOld: true);
            _depot.BeginTick();
            return count;
        }
    }

    /// <summary>Removes all items. With <paramref name="close"/>, later items are rejected.</summary>
    /// <inheritdoc cref="TrimIdle"/>
    public int TrimAll(bool close, List<object?>? removed)
    {
        using (_gate.Enter())
        {
            _closed |= close;

            // First: this needs next to no memory, and the sweep needs some, which may have run short.
            var count = Remove(_depot.Count, removed);
            GatherLocked();
            _quarantine?.MoveTo(_depot, onlyOld: false);
            return count + Remove(_depot.Count, removed);
        }
    }

    /// <summary>True if neither the threads nor the depot hold anything, including unused slots.</summary>
    public bool IsEmpty
    {
        get
        {
            using (_gate.Enter())
            {
                return _onThreads == 0 && _depot.Count == 0 && _quarantine is not { Count: > 0 };
            }
        }
    }

    /// <summary>
    /// Prevents slots from moving into and out of this store, so that a snapshot of several stores counts each once.
    /// </summary>
    public void Freeze() => _gate.Enter();

    public void Unfreeze() => _gate.Exit();

    /// <summary>
    /// Adds the contents of this frozen store to a snapshot: exact if the cache is not in use, and never above the limit.
    /// </summary>
    public void AddTo(ref CacheSnapshot snapshot)
    {
        var retained = (long)_depot.Count + (_quarantine?.Count ?? 0);
        foreach (var stack in _stacks)
        {
            if (stack is not null)
            {
                retained += stack.Count;
                snapshot.Hits += stack.Popped;
                snapshot.Counters.Add(in stack.Counters);
            }
        }

        snapshot.Trimmed += _trimmed;
        snapshot.Retained += retained;
        snapshot.RetainedUnits += retained * Weight;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private object? PopUnderLock(ThreadStack stack)
    {
        using (_gate.Enter())
        {
            if (stackCapacity == 0)
            {
                return ReleaseLocked(stack, _depot.Pop());
            }

            if (stack.Count == 0)
            {
                budget.Give(stack.Limit, Weight);
                var batch = Math.Min(stack.BatchSize, Math.Min(_depot.Count, stackCapacity));
                stack.BatchSize = Math.Min(stack.BatchSize * 2, Math.Max(1, stackCapacity / 2));
                SetLimit(stack, batch);
                if (batch == 0)
                {
                    return null;
                }

                _depot.MoveTo(stack, batch);
                stack.ReturnsToItself = false;
            }

            return stack.LockedPop();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PushResult PushUnderLock(ThreadStack stack, object item)
    {
        using (_gate.Enter())
        {
            if (_closed)
            {
                return PushResult.Closed;
            }

            if (IsOnTopLocked(stack, item))
            {
                return PushResult.DoubleReturn;
            }

            if (stackCapacity == 0)
            {
                return PushDirectlyLocked(item);
            }

            stack.WasSwept = false;

            if (stack.Count == stackCapacity
                || (stack.Count == stack.Limit && stack.Count >= _producerBatch && stack.IsNetProducer))
            {
                FlushToDepot(stack, Math.Max(1, stack.Count / 2));
            }

            if (stack.Count == stack.Limit)
            {
                var got = budget.Take(Math.Min(stack.BatchSize, stackCapacity - stack.Limit), Weight);
                stack.BatchSize = Math.Min(stack.BatchSize * 2, Math.Max(1, stackCapacity / 2));
                SetLimit(stack, stack.Limit + got);
            }

            if (stack.Count < stack.Limit)
            {
                stack.LockedPush(item);
                stack.ReturnsToItself = true;
                return PushResult.Kept;
            }

            return PushResult.Surplus;
        }
    }

    // Items of other threads may be on top of it in the depot: there since a sweep, or from the start if threads keep none.
    private bool IsOnTopLocked(ThreadStack stack, object item) =>
        stack.LockedTop == item || _depot.Top == item || ((stack.WasSwept || stackCapacity == 0) && _depot.Contains(item));

    // Counts an item that is rented without having been on a stack, and returns its slot to the budget.
    private object? ReleaseLocked(ThreadStack own, object? item)
    {
        if (item is not null)
        {
            budget.Give(1, Weight);
            own.CountPopElsewhere();
        }

        return item;
    }

    private PushResult PushDirectlyLocked(object item)
    {
        // First, because it may allocate.
        _depot.Reserve(1);
        if (budget.Take(1, Weight) == 0)
        {
            return PushResult.Surplus;
        }

        _depot.Push([item]);
        return PushResult.Kept;
    }

    private void GatherLocked()
    {
        if (_onThreads == 0)
        {
            return;
        }

        // All memory is allocated first: a stack that was closed must be emptied, or the budget loses its slots permanently.
        var owned = new List<(ThreadStack Stack, int Limit)>(_stacks.Length);
        _depot.Reserve(_onThreads);
        foreach (var stack in _stacks)
        {
            if (stack is { Limit: > 0 })
            {
                owned.Add((stack, stack.Close()));
            }
        }

        // Nothing from here on allocates or can be interrupted.
        // The barrier pairs with the order of writes in ThreadStack: after it, an owner inside its busy section is visible, and a
        // later one stays out.
        Interlocked.MemoryBarrierProcessWide();

        foreach (var (stack, limit) in owned)
        {
            stack.SpinUntilQuiescent();
            var count = stack.Count;
            _depot.Push(stack.LockedItems);
            stack.LockedDropOldest(count);
            stack.ResetCounts();
            budget.Give(limit - count, Weight);
        }

        _onThreads = 0;
    }

    private void FlushToDepot(ThreadStack stack, int count)
    {
        _depot.Push(stack.LockedItems[..count]);
        stack.LockedDropOldest(count);
        SetLimit(stack, stack.Limit - count);
    }

    // Counted together with the removal: between the two, a snapshot would find fewer returns than before.
    private int Remove(int count, List<object?>? removed)
    {
        _depot.RemoveOldest(count, removed);
        _trimmed += count;
        budget.Give(count, Weight);
        return count;
    }

    private void SetLimit(ThreadStack stack, int limit)
    {
        _onThreads += limit - stack.Limit;
        stack.Limit = limit;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ThreadStack AddStack(int index)
    {
        using (_gate.Enter())
        {
            var stacks = _stacks;
            if (index >= stacks.Length)
            {
                Array.Resize(ref stacks, Math.Max(index + 1, stacks.Length * 2));
            }

            var stack = new ThreadStack();
            stacks[index] = stack;

            // Published last: a thread that sees the table sees the stacks in it.
            Volatile.Write(ref _stacks, stacks);
            return stack;
        }
    }
}
