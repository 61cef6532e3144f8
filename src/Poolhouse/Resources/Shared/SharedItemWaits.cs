using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <summary>
/// The callers of a shared pool that have a slot for their use and wait for room in an item, or for one that is being created.
/// </summary>
// For the engine of the slots, these callers have been served and hold a lease, although they are still waiting. So the counters
// of that engine are corrected here.
// Counters: read one after the other, so they may be off by the callers that arrive or leave meanwhile.
// Locks: a gate around the list of the times at which the waiting callers began to wait; no other lock is taken under it.
internal sealed class SharedItemWaits<T>(
    SharedItemSet<T> itemSet, ResourceRuntime<T> items, ResourceRuntime<SharedUse<T>> uses, TrackingScheduler work)
    where T : notnull
{
    // How long the thread pool may take to start the pool's work before a blocking caller starts it on a dedicated thread.
    private static readonly TimeSpan _startTimeout = TimeSpan.FromMilliseconds(50);

    private readonly PoolClock _clock = items.Clock;
    private readonly Gate _gate = new();
    private readonly LinkedList<long> _waiting = [];
    private long _served;
    private long _failed;
    private long _timeouts;
    private long _cancellations;
    private long _waitTicks;

    /// <summary>
    /// Waits for an item with room for the use, in order of arrival: one that is being created, or one of which a use ends
    /// meanwhile. The item is created for all waiting callers, and a failure fails all of them.
    /// </summary>
    /// <param name="permit">The slot; the caller ends it if this method fails.</param>
    /// <param name="started">When the caller arrived.</param>
    /// <param name="timeout">The maximum wait, measured from then.</param>
    /// <param name="cancellationToken">Ends the caller's wait.</param>
    public Task<SharedItem<T>> WaitAsync(
        Lease<SharedUse<T>> permit, long started, TimeSpan timeout, CancellationToken cancellationToken) =>
        WaitAsync(permit, started, timeout, synchronous: false, cancellationToken);

    /// <summary>
    /// Does the same as <see cref="WaitAsync(Lease{SharedUse{T}}, long, TimeSpan, CancellationToken)"/> for a blocking caller.
    /// </summary>
    public SharedItem<T> Wait(Lease<SharedUse<T>> permit, long started, TimeSpan timeout, CancellationToken cancellationToken)
    {
#pragma warning disable VSTHRD002 // The task has completed: in synchronous mode every wait blocks.
        return WaitAsync(permit, started, timeout, synchronous: true, cancellationToken).GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }

    /// <summary>Ends the slot of a caller that may not wait; it is not counted as a rent.</summary>
    public void Reject(Lease<SharedUse<T>> permit)
    {
        Interlocked.Increment(ref _failed);
        permit.Dispose();
    }

    /// <summary>Reads the counters of the slots and corrects them to what the callers observe.</summary>
    public SharedResourcePoolStatistics GetStatistics(long doubleReturns)
    {
        var counted = uses.GetStatistics();
        var (waiting, oldest) = ReadWaiting();
        var failed = Volatile.Read(ref _failed);
        var rented = Math.Max(0, counted.Rented - waiting - failed);
        var waits = Math.Min(rented, counted.Waits + Volatile.Read(ref _served));
        return new SharedResourcePoolStatistics
        {
            Rented = rented,
            Hits = rented - waits,
            Waits = waits,
            Returned = Math.Max(0, counted.Returned - failed),
            Leased = Math.Max(0, counted.Leased - waiting),
            MaxLeased = counted.MaxSize,
            Waiting = counted.Waiting + waiting,
            OldestWait = counted.OldestWait > oldest ? counted.OldestWait : oldest,
            OldestLease = counted.OldestLease,
            Leaking = counted.Leaking,
            WaitTime = counted.WaitTime + _clock.Span(Volatile.Read(ref _waitTicks)),
            Timeouts = counted.Timeouts + Volatile.Read(ref _timeouts),
            Cancellations = counted.Cancellations + Volatile.Read(ref _cancellations),
            Shed = counted.Shed,
            DoubleReturns = counted.DoubleReturns + doubleReturns,
            SuspectedLeaks = counted.SuspectedLeaks,
            UseTime = counted.UseTime,
            Suspended = counted.Suspended,
            Closed = counted.Closed,
            Items = items.GetStatistics(),
        };
    }

    private async Task<SharedItem<T>> WaitAsync(
        Lease<SharedUse<T>> permit, long started, TimeSpan timeout, bool synchronous, CancellationToken cancellationToken)
    {
        var caller = new SharedCaller<T>(items.Scheduler.Completion);

        // Report neither a leak nor a time of use: the use has not begun.
        var entry = (ResourceEntry<SharedUse<T>>)permit.Slot!;
        entry.RentedAt = PoolClock.Never;
        var (outcome, since) = (WaitOutcome.Failed, _clock.Now);
        LinkedListNode<long>? waits = null;
        try
        {
            items.Core.CountCallersBehind(1, since);
            while (true)
            {
                outcome = WaitOutcome.Closed; // if the next call throws
                var sleeps = itemSet.Callers.TryWait(caller);
                if (sleeps)
                {
                    // The timer is set before the caller is seen as waiting: a test may advance the clock then.
                    var waiting = synchronous ? null : WaitForAsync(caller.Woken, started, timeout, cancellationToken);
                    waits ??= AddWaiting(since);

                    // A thread interrupt counts as a cancellation.
                    outcome = WaitOutcome.Cancelled;
                    outcome = waiting is null
                        ? BlockUntil(caller.Woken, started, timeout, cancellationToken)
                        : await waiting.ConfigureAwait(false);
                    ThrowIfEnded(outcome, started, cancellationToken);
                }

                outcome = WaitOutcome.Failed;
                if (itemSet.TryEnterInTurn(out var member))
                {
                    outcome = WaitOutcome.Served;
                    return member;
                }

                if (caller.Failed is { } failed)
                {
                    outcome = itemSet.IsClosed ? WaitOutcome.Closed : WaitOutcome.Failed;
                    failed.ThrowFailure();
                }

                if (!sleeps)
                {
                    outcome = FindEnd(started, DeadlineOf(started, timeout), cancellationToken);
                    ThrowIfEnded(outcome, started, cancellationToken);
                    await YieldAsync(synchronous).ConfigureAwait(false);
                }
            }
        }
        finally
        {
            // If not served, the slot is returned, and its use took no time. The observer may block: it is called last.
            var now = _clock.Now;
            entry.RentedAt = now;
            itemSet.Callers.EndWait(caller);
            RemoveWaiting(waits);
            Count(outcome, Math.Max(0, now - since), synchronous);
            items.Core.CountCallersBehind(-1, now);
        }
    }

    private void ThrowIfEnded(WaitOutcome outcome, long started, CancellationToken cancellationToken)
    {
        switch (outcome)
        {
            case WaitOutcome.TimedOut:
                throw RentErrors.TimedOut(items, _clock.Span(_clock.Now - started), trace: null, uses);
            case WaitOutcome.Failed when items.Core.Readings.GetOutage(_clock.Now, _clock) is { } outage:
                throw RentErrors.Unavailable(
                    items, _clock.Span(_clock.Now - started), outage, uses.Report(uses.GetStatistics()));
            case WaitOutcome.Cancelled:
                throw new OperationCanceledException(cancellationToken);
        }
    }

    /// <summary>Waits until the caller is woken.</summary>
    /// <returns>None, or why the wait ended before.</returns>
    private async Task<WaitOutcome> WaitForAsync(
        Task woken, long started, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var time = items.Settings.Options.TimeProvider;
        for (var deadline = DeadlineOf(started, timeout); ;)
        {
            var now = _clock.Now;
            var next = Math.Min(deadline, RefusalTime(started, now));
            var left = next == PoolClock.Never ? Timeout.InfiniteTimeSpan
                : next > now ? _clock.Span(next - now)
                : TimeSpan.Zero;
            try
            {
                await woken.WaitAsync(left, time, cancellationToken).ConfigureAwait(false);
                return WaitOutcome.None;
            }
            catch (Exception ending) when (woken.IsCompleted && ending is TimeoutException or OperationCanceledException)
            {
                // Woken at the same moment.
                return WaitOutcome.None;
            }
            catch (TimeoutException)
            {
                if (FindEnd(started, deadline, cancellationToken) is var end and not WaitOutcome.None)
                {
                    return end;
                }
            }
            catch (OperationCanceledException)
            {
                return WaitOutcome.Cancelled;
            }
        }
    }

    /// <summary>
    /// Does the same on the caller's thread: neither the deadline nor the creation needs a thread of the thread pool, all of
    /// which may be blocked.
    /// </summary>
    private WaitOutcome BlockUntil(Task woken, long started, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var deadline = DeadlineOf(started, timeout);
        while (!woken.IsCompleted)
        {
            var end = FindEnd(started, deadline, cancellationToken);
            if (end != WaitOutcome.None)
            {
                return end;
            }

            if (!TryAwait(woken, items.Until(deadline, _startTimeout), cancellationToken))
            {
                // The growth, the creation of its item, and the wake-up that continues the growth when it is given the item.
                work.RunPostedOnOwnThreads();
            }
        }

        return WaitOutcome.None;
    }

    private long DeadlineOf(long started, TimeSpan timeout) =>
        timeout == Timeout.InfiniteTimeSpan ? PoolClock.Never : PoolClock.Add(started, _clock.Ticks(timeout));

    /// <returns>Why a wait ends now; none if it goes on.</returns>
    // Also for a caller that does not sleep: an item that cannot be removed for lack of memory counts as room until it is.
    private WaitOutcome FindEnd(long started, long deadline, CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? WaitOutcome.Cancelled
        : _clock.Now is var now && now >= deadline ? WaitOutcome.TimedOut
        : now >= RefusalTime(started, now) ? WaitOutcome.Failed
        : WaitOutcome.None;

    /// <summary>
    /// When a caller has waited long enough for items that cannot be created, or if they can, the earliest time at which it may
    /// have: an outage may begin meanwhile. With a limit of zero, the creation fails instead.
    /// </summary>
    private long RefusalTime(long started, long now) =>
        uses.Settings.OutageTimeout is var limit && limit == 0 ? PoolClock.Never
        : items.Core.Readings.FailingSince is { } since ? PoolClock.Add(Math.Max(started, since), limit)
        : PoolClock.Add(now + 1, limit);

    /// <returns>False if the timeout elapsed.</returns>
    private static bool TryAwait(Task task, TimeSpan limit, CancellationToken cancellationToken)
    {
#pragma warning disable VSTHRD002 // The caller chose to block. Waits on a task, because the thread pool compensates for threads that block on one.
        try
        {
            return Task.WaitAny([task], (int)limit.TotalMilliseconds, cancellationToken) == 0;
        }
        catch (OperationCanceledException)
        {
            return true;
        }
#pragma warning restore VSTHRD002
    }

    private static async ValueTask YieldAsync(bool synchronous)
    {
        if (synchronous)
        {
            Thread.Yield();
        }
        else
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        }
    }

    private LinkedListNode<long> AddWaiting(long since)
    {
        using (_gate.Enter())
        {
            return _waiting.AddLast(since);
        }
    }

    private void RemoveWaiting(LinkedListNode<long>? node)
    {
        if (node is not null)
        {
            using (_gate.Enter())
            {
                _waiting.Remove(node);
            }
        }
    }

    private (int Count, TimeSpan Oldest) ReadWaiting()
    {
        using (_gate.Enter())
        {
            return (_waiting.Count, _waiting.Count == 0 ? TimeSpan.Zero : _clock.Span(Math.Max(0, _clock.Now - _waiting.Min())));
        }
    }

    private void Count(WaitOutcome outcome, long waited, bool synchronous)
    {
        Interlocked.Add(ref _waitTicks, waited);
        Interlocked.Increment(ref outcome == WaitOutcome.Served ? ref _served : ref _failed);
        switch (outcome)
        {
            case WaitOutcome.TimedOut:
                Interlocked.Increment(ref _timeouts);
                break;
            case WaitOutcome.Cancelled:
                Interlocked.Increment(ref _cancellations);
                break;
        }

        if (uses.Events.ReportsWaits)
        {
            uses.Events.ReportWait(outcome, _clock.Span(waited), synchronous);
        }
    }
}
