using System.Runtime.CompilerServices;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Shared;

/// <summary>The room for uses in the items of a shared pool: the callers that wait for it, and how it is handed over.</summary>
// Invariants
//   a grant is a use that the item counts already: a use that has ended and is handed over, or one reserved for the caller
//   no caller waits while an active item has room, unless the pool is suspended (I5)
//   the slow path contains "waiting" exactly while the queue is not empty, and no rent takes room past it then (I4)
//   while more callers wait than there is room for, another item is being created unless there are enough
// Order of writes: a use ends with a full fence (SharedItem.Leave), and then the slow path is read; a caller sets the slow path
// with a full fence, and then looks for room (Offer). So one of the two always sees the other (I5). Room that was reserved for
// a caller and is not needed ends as a use does.
// Locks: the gate of the item set. Under it nothing is called but the queue: items are chosen, hooks called, growths begun and
// callers woken outside of it.
internal sealed class SharedRoom<T>(
    SharedItemSet<T> itemSet, ResourceRuntime<T> runtime, Gate gate, CallerQueue<SharedItem<T>> queue)
    where T : notnull
{
    private readonly PoolClock _clock = runtime.Clock;
    private readonly TaskCompletionSource _empty = new(runtime.Scheduler.Completion);

    private Lifecycle _lifecycle;
    private bool _isSuspended;
    private int _slowPath;

    /// <summary>Whether a caller may take room without going through the gate.</summary>
    public bool IsUncontested => Volatile.Read(ref _slowPath) == 0;

    public bool IsOpen => (Volatile.Read(ref _slowPath) & (int)SlowPathReasons.Closing) == 0;

    public bool IsSuspended => (Volatile.Read(ref _slowPath) & (int)SlowPathReasons.Suspended) != 0;

    /// <summary>Whether callers wait that may be served.</summary>
    public bool CallersWait =>
        (Volatile.Read(ref _slowPath) & (int)(SlowPathReasons.Waiting | SlowPathReasons.Suspended)) ==
            (int)SlowPathReasons.Waiting;

    /// <summary>Whether callers block their threads. Under the gate.</summary>
    public bool CallersBlock => queue.SynchronousCount > 0;

    /// <summary>Called when more callers may lack room, under no lock; null if that concerns no one.</summary>
    public Action? LackOfRoomChanged { get; set; }

    /// <summary>Queues a caller that found no room, unless it may not wait.</summary>
    /// <returns>None if it waits.</returns>
    public WaitOutcome Enter(Waiter<SharedItem<T>> waiter, long now)
    {
        // Read now: once queued, the waiter may be served, and then reused for another caller.
        var deadline = waiter.Deadline;
        var inOutage = queue.MeasuresDelays && runtime.Core.Readings.Failures > 0;
        SharedGrowth<T>? growth;
        bool isFirst;
        long check;
        using (gate.Enter())
        {
            if (_lifecycle != Lifecycle.Open)
            {
                return WaitOutcome.Closed;
            }

            // In a suspended pool, callers do not get the room of the active items.
            var room = _isSuspended ? 0 : itemSet.CountRoomLocked();
            if (queue.Count >= itemSet.Settings.MaxWaiters + room + itemSet.CountCreatableLocked())
            {
                queue.Counters.Shed++;
                return WaitOutcome.Shed;
            }

            // Before the caller is queued, because this may lack memory. There is room if an item has become active since the
            // caller looked for it.
            growth = itemSet.GetOrAddGrowthLocked(!_isSuspended && queue.Count >= room, waiter.IsSynchronous);
            isFirst = queue.Count == 0;
            queue.Add(waiter, now, starts: itemSet.Items.Length == 0 && !inOutage);
            check = Math.Min(deadline, queue.NextStallCheck(now, IsPausedLocked));
            check = Math.Min(check, PoolClock.Add(now + 1, itemSet.Settings.OutageTimeout));

            // A full fence before the search for room below: see EndUse. If callers waited already, the fence of the first of
            // them is sufficient: a use that ended before it is visible to all that enter the gate after it.
            UpdateSlowPathLocked();
        }

        runtime.Core.Runner.Schedule(check, now);
        if (growth?.TryBegin() == false && isFirst && !growth.IsForUpkeep)
        {
            // It may have begun for upkeep, with a longer pause after a failure.
            runtime.Core.Plan(now);
        }

        Offer();
        ReportLackOfRoom();
        return WaitOutcome.None;
    }

    /// <summary>Removes a waiter whose outcome its caller has decided: it cancelled, or its timeout elapsed.</summary>
    public void Withdraw(Waiter<SharedItem<T>> waiter, long now, bool wakes)
    {
        var woken = default(WokenCallers);
        using (gate.Enter())
        {
            queue.Dequeue(waiter, now);
            if (wakes)
            {
                woken.Add(waiter);
            }

            UpdateSlowPathLocked();
        }

        Settle(ref woken, now);
    }

    /// <summary>The use that a waiter was given, even while the deciding thread is still writing it.</summary>
    public SharedItem<T> GrantOf(Waiter<SharedItem<T>> waiter)
    {
        using (gate.Enter())
        {
            return waiter.Grant!;
        }
    }

    /// <summary>Ends a use: hands its room to the caller that has waited longest, or permits another use of the item.</summary>
    public void EndUse(SharedItem<T> item)
    {
        var now = _clock.Coarse;
        if (CallersWait && !item.IsInactive && itemSet.IsUsable(item, now) && TryServe(item, now))
        {
            return;
        }

        // A full fence: a caller that queues itself from here on finds this room, or its slow path is seen below (I5).
        item.Leave(now);
        if (CallersWait)
        {
            Offer();
        }
    }

    /// <summary>
    /// Gives the room that the items have to the callers that wait, and has another item created if that is not enough.
    /// </summary>
    public void Offer()
    {
        OfferRoom();
        itemSet.GrowForCallers();
    }

    /// <summary>Fails the callers for which an item could not be created. They get the room that there is, first.</summary>
    /// <param name="failure">The failure.</param>
    /// <param name="since">When the outage began that is the reason; never if the failure is thrown unchanged.</param>
    public void Fail(Exception failure, long since)
    {
        OfferRoom();
        var now = _clock.Now;
        var woken = default(WokenCallers);
        using (gate.Enter())
        {
            while (!_isSuspended && queue.EndFirst(WaitOutcome.Failed, now, ref woken) is { } waiter)
            {
                (waiter.Failure, waiter.FailingSince) = (failure, since);
            }

            UpdateSlowPathLocked();
        }

        Settle(ref woken, now);
    }

    /// <summary>
    /// Ends the waits whose timeout has elapsed or for which an outage has lasted too long, and sheds callers in a queue that is
    /// stalled.
    /// </summary>
    /// <returns>When to check again.</returns>
    // An outage may begin at any time, so it is looked for as often as it may last.
    public long EndTimedOut(long now)
    {
        var outage = runtime.Core.Readings.GetOutageLimit(itemSet.Settings.OutageTimeout);
        var woken = default(WokenCallers);
        long next;
        using (gate.Enter())
        {
            var servedByCreation = outage is null ? itemSet.CountCreatableLocked() : 0;
            next = queue.EndTimedOut(now, servedByCreation, IsPausedLocked, ref woken);
            var refusal = queue.Count == 0 ? PoolClock.Never
                : outage is not { } limit || _isSuspended || itemSet.IsFullLocked
                    ? PoolClock.Add(now, itemSet.Settings.OutageTimeout)
                    : queue.EndInOutage(limit, spared: 0, now, ref woken);
            next = Math.Min(next, refusal);
            UpdateSlowPathLocked();
        }

        Settle(ref woken, now);
        return next;
    }

    /// <summary>
    /// Ends waits for which an outage has lasted too long: for a blocked caller, because a timer may not be able to.
    /// </summary>
    public void EndInOutage(long now)
    {
        if (runtime.Core.Readings.FailingSince is not null)
        {
            EndTimedOut(now);
        }
    }

    /// <summary>Records that an item has become active, or could not be created.</summary>
    public void EndStartLocked(long now)
    {
        if (queue.IsStarting)
        {
            queue.RestartDelays(now);
        }
    }

    public void Suspend()
    {
        using (gate.Enter())
        {
            _isSuspended = true;
            UpdateSlowPathLocked();
        }
    }

    public void Resume()
    {
        var now = _clock.Now;
        long check;
        using (gate.Enter())
        {
            // Callers were not served on purpose; that says nothing about whether the pool can keep up.
            _isSuspended = false;
            queue.RestartDelays(now);
            check = queue.NextStallCheck(now, IsPausedLocked);
            UpdateSlowPathLocked();
        }

        runtime.Core.Runner.Schedule(check, now);
        Offer();

        // An item that is being created for upkeep may be urgent now.
        runtime.Core.Plan(now);
    }

    public void Reconfigure(CoDelController? delays)
    {
        var now = _clock.Now;
        using (gate.Enter())
        {
            queue.Reconfigure(delays, now);
        }

        // Limits may be shorter now than when the next check was scheduled.
        runtime.Core.Runner.Schedule(now, now);
    }

    /// <summary>Rejects new callers. Draining still serves the waiting ones; otherwise their waits end.</summary>
    public void Close(bool drain)
    {
        var now = _clock.Now;
        var woken = default(WokenCallers);
        using (gate.Enter())
        {
            _lifecycle = drain && _lifecycle != Lifecycle.Closed ? Lifecycle.Draining : Lifecycle.Closed;
            if (_lifecycle == Lifecycle.Closed)
            {
                queue.Close(now, ref woken);
            }

            UpdateSlowPathLocked();
        }

        Settle(ref woken, now);
    }

    /// <summary>Completes when no caller waits in a drained or closed pool.</summary>
    public Task WhenEmptyAsync() => _empty.Task;

    /// <summary>Reads how many callers wait, since when the first one does, and how the waits ended.</summary>
    public (int Waiting, long Since, WaitCounters Ended) Read()
    {
        using (gate.Enter())
        {
            return (queue.Count, queue.Head?.EnqueuedAt ?? 0, queue.Counters.Copy());
        }
    }

    /// <summary>Counts the callers that wait for the end of a use, because no further item may be created.</summary>
    public int CountWithoutRoom()
    {
        using (gate.Enter())
        {
            return itemSet.IsFullLocked ? queue.Count : 0;
        }
    }

    /// <summary>
    /// Whether more callers wait than the active items have room for, and another item may be created. Under the gate.
    /// </summary>
    public bool CallersLackRoomLocked => CallersWait && !itemSet.IsFullLocked && queue.Count > itemSet.CountRoomLocked();

    private bool IsPausedLocked => _isSuspended || (queue.IsStarting && itemSet.IsGrowingLocked);

    /// <summary>Gives a use to the first caller that takes it.</summary>
    /// <returns>False if no caller may have it: the use still counts.</returns>
    private bool TryServe(SharedItem<T> item, long now)
    {
        var woken = default(WokenCallers);
        Waiter<SharedItem<T>>? waiter = null;
        using (gate.Enter())
        {
            var maxUses = itemSet.Settings.MaxUsesPerItem;
            if (!_isSuspended && item.IsWithin(maxUses))
            {
                if (queue.MeasuresDelays && queue.Count <= itemSet.CountCreatableLocked() + maxUses - item.Uses + 1)
                {
                    queue.RestartDelays(now);
                }

                waiter = queue.TryServe(now, ref woken);
                waiter?.Grant = item;
                UpdateSlowPathLocked();
            }
        }

        Settle(ref woken, now);
        return waiter is not null;
    }

    private void OfferRoom()
    {
        var now = _clock.Coarse;
        while (CallersWait && itemSet.TryEnter(out var item))
        {
            if (!TryServe(item, now))
            {
                // The last caller has left. One that is queued from here on finds this room, or is seen by the loop.
                item.Leave(now);
            }
        }
    }

    private void UpdateSlowPathLocked()
    {
        var slowPath = (int)((queue.Count > 0 ? SlowPathReasons.Waiting : SlowPathReasons.None) |
            (_isSuspended ? SlowPathReasons.Suspended : SlowPathReasons.None) |
            (_lifecycle != Lifecycle.Open ? SlowPathReasons.Closing : SlowPathReasons.None));
        if (_slowPath != slowPath)
        {
            Interlocked.Exchange(ref _slowPath, slowPath);
        }
    }

    /// <summary>Does what follows a section: wakes callers, and reports the end of the last wait of a drained pool.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Settle(ref WokenCallers woken, long now)
    {
        runtime.Core.Runner.Wake(ref woken, now);
        var slowPath = (SlowPathReasons)Volatile.Read(ref _slowPath);
        if (slowPath.HasFlag(SlowPathReasons.Closing) && !slowPath.HasFlag(SlowPathReasons.Waiting))
        {
            _empty.TrySetResult();
        }

        ReportLackOfRoom();
    }

    /// <summary>Reports that more callers may lack room.</summary>
    private void ReportLackOfRoom()
    {
        try
        {
            LackOfRoomChanged?.Invoke();
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The next change of the callers reports it again.
        }
    }
}
