using Poolhouse.Resources.Engine.Creating;

namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>
/// The waiting callers of a pool in order of arrival, synchronous and asynchronous ones alike, and how their waits end: served,
/// timed out, shed, failed or closed. Under the gate of its owner.
/// </summary>
/// <typeparam name="TGrant">What a caller waits for.</typeparam>
// A grant goes to the head of the queue, and one CAS decides between it, a cancellation and a timeout. If the grant loses, it
// goes to the next waiter (I6). The thread that decides a waiter removes it from the queue, counts its outcome and has it woken,
// each once. Only a cancelled or timed-out waiter may still be in the queue when its outcome is decided.
// Uses links of its own rather than an IntrusiveList, which writes into each node which list it is in; every wait would pay for
// that (about 10 % of a hand-over; eng/bars.sh --only "resource, 8").
internal sealed class CallerQueue<TGrant>(CoDelController? delays, long clockLag)
    where TGrant : class
{
    private CoDelController? _delays = delays;
    private Waiter<TGrant>? _tail;

    /// <summary>How the waits ended.</summary>
    public WaitCounters Counters { get; } = new();

    public Waiter<TGrant>? Head { get; private set; }

    public int Count { get; private set; }

    /// <summary>The number of waiters that block a thread.</summary>
    public int SynchronousCount { get; private set; }

    /// <summary>Whether callers may be shed because of how long they and others waited.</summary>
    public bool MeasuresDelays => _delays is not null;

    /// <summary>Whether the first caller arrived when the pool had nothing to grant.</summary>
    public bool IsStarting => _delays is { IsStarting: true };

    /// <param name="waiter">The caller, which may wait.</param>
    /// <param name="now">The time.</param>
    /// <param name="starts">Whether the pool has nothing that could serve the caller, and creates the first.</param>
    public void Add(Waiter<TGrant> waiter, long now, bool starts)
    {
        waiter.EnqueuedAt = now;
        if (Count == 0)
        {
            _delays?.OnFirstCaller(now, starts);
        }

        Append(waiter);
    }

    /// <summary>Serves the head of the queue, without a batch of callers to wake.</summary>
    /// <returns>The waiter to give the grant to and to wake; null if the head may not have it any more, or may be shed.</returns>
    public Waiter<TGrant>? TryServeHead(long now)
    {
        // If the CAS is lost, the waiter stays where it is: TryServe skips it.
        if (_delays is not null || Head is not { } waiter || HasTimedOut(waiter, now) || !waiter.TryComplete(WaitOutcome.Served))
        {
            return null;
        }

        Remove(waiter);
        return waiter;
    }

    /// <summary>Serves the first caller that can be served; those before it time out or are shed.</summary>
    /// <returns>The waiter, which its owner gives the grant in the same section; null if no caller is left.</returns>
    public Waiter<TGrant>? TryServe(long now, ref WokenCallers woken)
    {
        while (Head is { } waiter)
        {
            // Its timeout may have elapsed without a notification: the timer needs a thread-pool thread, and all of them may be
            // blocked.
            var outcome = HasTimedOut(waiter, now) ? WaitOutcome.TimedOut
                : _delays is not null && _delays.ShouldShed(waiter.EnqueuedAt, now) ? WaitOutcome.Shed
                : WaitOutcome.Served;

            // The only CAS. If it is lost, the caller cancelled or timed out, and has withdrawn or will do so; the grant goes to
            // the next waiter (I6).
            if (!waiter.TryComplete(outcome))
            {
                Unqueue(waiter);
                continue;
            }

            Dequeue(waiter, now);
            woken.Add(waiter);
            if (outcome == WaitOutcome.Served)
            {
                return waiter;
            }
        }

        return null;
    }

    /// <summary>Ends the wait of the first caller whose outcome is not decided yet.</summary>
    /// <returns>That caller; null if no caller is left.</returns>
    public Waiter<TGrant>? EndFirst(WaitOutcome outcome, long now, ref WokenCallers woken)
    {
        while (Head is { } waiter)
        {
            if (waiter.TryComplete(outcome))
            {
                Dequeue(waiter, now);
                woken.Add(waiter);
                return waiter;
            }

            Unqueue(waiter);
        }

        return null;
    }

    /// <summary>Ends all waits, because the pool is closed.</summary>
    public void Close(long now, ref WokenCallers woken)
    {
        while (EndFirst(WaitOutcome.Closed, now, ref woken) is not null)
        {
            // The next one.
        }
    }

    /// <summary>Ends the waits whose timeout has elapsed, and sheds callers in a queue that is stalled.</summary>
    /// <param name="now">The time.</param>
    /// <param name="servedByCreation">The number of the first callers for whom the pool keeps up by growing.</param>
    /// <param name="isPaused">Whether no caller is served on purpose, or because the first grant is being created.</param>
    /// <param name="woken">Receives the callers to wake.</param>
    /// <returns>When to check again.</returns>
    public long EndTimedOut(long now, int servedByCreation, bool isPaused, ref WokenCallers woken)
    {
        var next = PoolClock.Never;
        var isStalled = NextStallCheck(now, isPaused) <= now && _delays!.TryDetectStall(Head!.EnqueuedAt, now);
        for (var waiter = Head; waiter is not null;)
        {
            var following = waiter.Next;
            var outcome = now >= waiter.Deadline ? WaitOutcome.TimedOut
                : isStalled && servedByCreation-- <= 0 && _delays!.IsTooLong(waiter.EnqueuedAt, now) ? WaitOutcome.Shed
                : WaitOutcome.None;
            if (outcome == WaitOutcome.None)
            {
                next = Math.Min(next, waiter.Deadline);
            }
            else if (waiter.TryComplete(outcome))
            {
                Dequeue(waiter, now);
                woken.Add(waiter);
            }

            waiter = following;
        }

        return Math.Min(next, NextStallCheck(now, isPaused));
    }

    /// <summary>Fails the callers that have waited long enough in an outage.</summary>
    /// <param name="outage">The outage.</param>
    /// <param name="spared">The number of the first callers for which something is on its way.</param>
    /// <param name="now">The time.</param>
    /// <param name="woken">Receives the callers to wake.</param>
    /// <returns>When to check again.</returns>
    // The callers behind the first that may wait longer have arrived later.
    public long EndInOutage(in OutageLimit outage, int spared, long now, ref WokenCallers woken)
    {
        var next = PoolClock.Never;
        for (var waiter = Head; waiter is not null;)
        {
            var following = waiter.Next;
            var isSpared = spared-- > 0;
            var due = outage.RefusalTime(waiter.EnqueuedAt, isSpared);
            if (due > now)
            {
                next = Math.Min(next, due);
                if (!isSpared)
                {
                    break;
                }
            }
            else if (waiter.TryComplete(WaitOutcome.Failed))
            {
                waiter.Refuse(outage);
                Dequeue(waiter, now);
                woken.Add(waiter);
            }

            waiter = following;
        }

        return next;
    }

    /// <summary>Removes a decided waiter and counts its outcome: once, on the thread that decided it.</summary>
    public void Dequeue(Waiter<TGrant> waiter, long now)
    {
        Counters.Count(waiter.Outcome, Math.Max(0, now - waiter.EnqueuedAt));
        Unqueue(waiter);
        if (Count == 0)
        {
            _delays?.OnEmptied(now);
        }
    }

    /// <summary>Applies new settings for overload.</summary>
    public void Reconfigure(CoDelController? delays, long now)
    {
        _delays = delays;
        RestartDelays(now);
    }

    /// <summary>Measures delays from now on, because callers were not served on purpose, or need not wait.</summary>
    public void RestartDelays(long now) => _delays?.Restart(now);

    /// <summary>When to check whether the queue is stalled.</summary>
    public long NextStallCheck(long now, bool isPaused) =>
        _delays is null || isPaused || Head is not { } head ? PoolClock.Never : Math.Max(now, _delays.NextCheck(head.EnqueuedAt));

    /// <summary>Whether the timeout of a caller has certainly elapsed, given a time that may be the coarse one.</summary>
    // Otherwise the wait would end before its deadline when the coarse clock is ahead. A caller that is late by less than this is
    // served.
    private bool HasTimedOut(Waiter<TGrant> waiter, long now) => now - clockLag >= waiter.Deadline;

    private void Append(Waiter<TGrant> waiter)
    {
        waiter.Previous = _tail;
        if (_tail is null)
        {
            Head = waiter;
        }
        else
        {
            _tail.Next = waiter;
        }

        _tail = waiter;
        waiter.IsQueued = true;
        Count++;
        SynchronousCount += waiter.IsSynchronous ? 1 : 0;
    }

    private void Unqueue(Waiter<TGrant> waiter)
    {
        if (waiter.IsQueued)
        {
            Remove(waiter);
        }
    }

    private void Remove(Waiter<TGrant> waiter)
    {
        if (waiter.Previous is { } previous)
        {
            previous.Next = waiter.Next;
        }
        else
        {
            Head = waiter.Next;
        }

        if (waiter.Next is { } next)
        {
            next.Previous = waiter.Previous;
        }
        else
        {
            _tail = waiter.Previous;
        }

        waiter.Previous = null;
        waiter.Next = null;
        waiter.IsQueued = false;
        Count--;
        SynchronousCount -= waiter.IsSynchronous ? 1 : 0;
    }
}
