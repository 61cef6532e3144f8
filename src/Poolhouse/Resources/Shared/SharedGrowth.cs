using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Shared;

/// <summary>The creation of one more active item: it waits in the queue of the items' pool, for all callers of the shared
/// pool.</summary>
// Invariants
//   the item that it is given becomes active on the thread that gives it, which runs no code of a caller: neither needs a thread
//   of the thread pool, all of which may be blocked
//   it begins once, whichever thread adds it to the set or finds it there
//   it ends once: given an item, failed, or cancelled
// Order of writes: _isQueued is written before _isCancelled is read, and the other way round in Cancel, each with a full fence:
// so a growth that is cancelled while it begins leaves the queue.
internal sealed class SharedGrowth<T> : Waiter<ResourceEntry<T>>
    where T : notnull
{
    private readonly SharedItemSet<T> _itemSet;
    private readonly ResourceRuntime<T> _runtime;
    private readonly TaskCompletionSource _ended;
    private Lease<T> _lease;
    private int _isBegun;
    private int _isQueued;
    private int _isCancelled;

    /// <param name="itemSet">The active items.</param>
    /// <param name="runtime">The pool of the items.</param>
    /// <param name="synchronously">Whether callers block, so that the item is created on a dedicated thread, if the policy can do
    /// that.</param>
    public SharedGrowth(SharedItemSet<T> itemSet, ResourceRuntime<T> runtime, bool synchronously)
    {
        _itemSet = itemSet;
        _runtime = runtime;
        _ended = new TaskCompletionSource(runtime.Scheduler.Completion);
        IsSynchronous = synchronously;
        Deadline = PoolClock.Never;
    }

    public override bool IsSynchronous { get; }

    public override bool IsForUpkeep => !_itemSet.IsItemUrgent;

    /// <summary>
    /// Completes when the item is active, or when it may not become active any more; fails with the error if it could not be
    /// created.
    /// </summary>
    public Task Task => _ended.Task;

    /// <summary>Requests the item, once. Not under a gate.</summary>
    /// <returns>False if another thread does or has done that.</returns>
    public bool TryBegin()
    {
        if (Volatile.Read(ref _isBegun) != 0 || Interlocked.Exchange(ref _isBegun, 1) != 0)
        {
            return false;
        }

        if (_runtime.Core.Enter(this, stale: null, _runtime.Clock.Now) is var refused and not WaitOutcome.None)
        {
            Fail(refused);
            return true;
        }

        Interlocked.Exchange(ref _isQueued, 1);
        if (Volatile.Read(ref _isCancelled) != 0)
        {
            Leave();
        }

        return true;
    }

    /// <summary>Ends the wait for an item that is no longer needed.</summary>
    public void Cancel()
    {
        Interlocked.Exchange(ref _isCancelled, 1);
        if (Volatile.Read(ref _isQueued) != 0)
        {
            Leave();
        }
    }

    /// <summary>
    /// Makes the item active that was given to this waiter, or reports the failure. Repeated if memory is short.
    /// </summary>
    public override void Wake()
    {
        if (Outcome != WaitOutcome.Served)
        {
            Fail(Outcome);
            return;
        }

        if (_lease.Slot is null)
        {
            _lease = Grant!.BeginLease();
        }

        _itemSet.Add(this, _lease);
        End(failure: null);
        _itemSet.KeepMinimum();
    }

    private void Leave()
    {
        if (TryComplete(WaitOutcome.Cancelled))
        {
            _runtime.Core.Withdraw(this, _runtime.Clock.Now);
            _itemSet.EndGrowth(this);
            End(_itemSet.IsClosed ? RentErrors.Closed(_runtime.Name) : null);
        }
    }

    /// <summary>Ends a wait that was refused or failed, with the failure recorded then, or because the pool is closed.</summary>
    private void Fail(WaitOutcome outcome)
    {
        if (outcome != WaitOutcome.Failed)
        {
            (Failure, FailingSince) = (RentErrors.Closed(_runtime.Name), PoolClock.Never);
        }

        _itemSet.EndGrowth(this, Failure!, FailingSince);
        End(RentErrors.Failed(PoolReport.Of(_runtime), this, TimeSpan.Zero, _runtime.Clock));
    }

    private void End(Exception? failure)
    {
        _itemSet.Forget(this);
        if (failure is null)
        {
            _ended.TrySetResult();
            return;
        }

        _ended.TrySetException(failure);

        // Failures are counted by the engine, whether or not a caller is waiting here.
        _ = _ended.Task.Exception;
    }
}
