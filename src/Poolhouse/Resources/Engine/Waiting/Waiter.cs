using Poolhouse.Resources.Engine.Creating;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>A caller in the queue of a pool.</summary>
/// <typeparam name="TGrant">What the caller waits for.</typeparam>
// Invariants
//   the outcome is decided once, by one CAS from None; only the thread that wins it writes Grant and Failure, and it wakes the
//   waiter. For an asynchronous waiter that cannot be cancelled, every decision is made under the queue's gate, and needs no CAS
//   the thread that decides on Served already has the grant, and the waiter keeps it: nothing is offered to a waiter that can
//   still refuse it
//   membership in the queue is known under that gate only; a decided waiter may still be there until its decider has
//   withdrawn it
internal abstract class Waiter<TGrant> : WokenCallers.Caller
    where TGrant : class
{
    private int _outcome;

    public WaitOutcome Outcome => (WaitOutcome)Volatile.Read(ref _outcome);

    public long EnqueuedAt { get; set; }

    /// <summary>When the wait times out: an absolute time, so that no later event can extend it.</summary>
    public long Deadline { get; set; }

    /// <summary>What was given to the waiter. Written by the winner, before the wake-up.</summary>
    public TGrant? Grant { get; set; }

    /// <summary>The reason why the wait failed. Written by the winner, before the wake-up.</summary>
    public Exception? Failure { get; set; }

    /// <summary>When the outage began that is the reason; never if the failure is thrown unchanged. As above.</summary>
    public long FailingSince { get; set; }

    public LeaseTrace? Trace { get; set; }

    /// <summary>Whether the waiter blocks a thread.</summary>
    public abstract bool IsSynchronous { get; }

    /// <summary>
    /// Whether the grant is wanted for the pool's minimum or ahead of demand, and not for a caller, so that nothing is urgent.
    /// Read under the gate of the queue.
    /// </summary>
    public virtual bool IsForUpkeep => false;

    /// <summary>Links of the queue. Under the gate.</summary>
    public Waiter<TGrant>? Previous { get; set; }

    public Waiter<TGrant>? Next { get; set; }

    public bool IsQueued { get; set; }

    /// <summary>Whether the outcome is decided only under the queue's gate. Set before the waiter is queued.</summary>
    protected bool IsDecidedUnderGate { get; set; }

    public bool TryComplete(WaitOutcome outcome)
    {
        if (!IsDecidedUnderGate)
        {
            return TryDecide(outcome);
        }

        var decides = _outcome == (int)WaitOutcome.None;
        if (decides)
        {
            Volatile.Write(ref _outcome, (int)outcome);
        }

        return decides;
    }

    /// <summary>Records why the wait of this caller fails.</summary>
    public void Refuse(in OutageLimit outage)
    {
        Failure = outage.LastFailure;
        FailingSince = outage.IsPermanent ? PoolClock.Never : outage.Since;
    }

    /// <summary>Resets the outcome of a waiter that no other thread can reach any more.</summary>
    protected void ResetOutcome()
    {
        Grant = null;
        Failure = null;
        Trace = null;
        Volatile.Write(ref _outcome, (int)WaitOutcome.None);
    }

    private bool TryDecide(WaitOutcome outcome) =>
        Interlocked.CompareExchange(ref _outcome, (int)outcome, (int)WaitOutcome.None) == (int)WaitOutcome.None;
}
