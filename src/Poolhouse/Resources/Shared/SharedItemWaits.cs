using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine;

namespace Poolhouse.Resources.Shared;

/// <summary>Callers of a shared pool that have a place for their use, and wait for the item that is on its way.</summary>
// To the engine of the places they have what they came for, and hold a lease; in truth they wait. So what that engine says of its
// callers is put right here.
// Counters: each is read on its own; off by those who come and go meanwhile.
internal sealed class SharedItemWaits<T>(
    SharedItemSet<T> itemSet, ResourceRuntime<T> items, ResourceRuntime<SharedUse<T>> places)
    where T : notnull
{
    // How long the thread pool may take to begin the pool's work before a caller that blocks has it begun elsewhere.
    private static readonly TimeSpan _patience = TimeSpan.FromMilliseconds(50);

    private readonly PoolClock _clock = items.Clock;
    private int _waiting;
    private long _given;
    private long _failed;
    private long _timeouts;
    private long _cancellations;
    private long _waitTicks;

    /// <summary>
    /// Waits for an item with room for the use: it is made for all who need one, and its failure is the failure of all of them.
    /// </summary>
    /// <param name="place">The place; the caller ends it if this fails.</param>
    /// <param name="started">When the caller came.</param>
    /// <param name="timeout">How long it waits at most, since then.</param>
    /// <param name="cancellationToken">Ends its wait.</param>
    public Task<SharedItem<T>> WaitAsync(
        Lease<SharedUse<T>> place, long started, TimeSpan timeout, CancellationToken cancellationToken) =>
        WaitAsync(place, started, timeout, synchronous: false, cancellationToken);

    /// <summary>The same for a caller that blocks.</summary>
    public SharedItem<T> Wait(Lease<SharedUse<T>> place, long started, TimeSpan timeout, CancellationToken cancellationToken)
    {
#pragma warning disable VSTHRD002 // It has ended: whatever it waits for, it blocks.
        return WaitAsync(place, started, timeout, synchronous: true, cancellationToken).GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }

    /// <summary>Ends the place of a caller that may not wait: it was no rent.</summary>
    public void Reject(Lease<SharedUse<T>> place)
    {
        Interlocked.Increment(ref _failed);
        place.Dispose();
    }

    /// <summary>The counters of the places, as the callers see them.</summary>
    public ResourcePoolStatistics Amend(ResourcePoolStatistics counted)
    {
        var waiting = Volatile.Read(ref _waiting);
        var failed = Volatile.Read(ref _failed);
        var rented = Math.Max(0, counted.Rented - waiting - failed);
        var misses = Math.Min(rented, counted.Misses + Volatile.Read(ref _given));
        return counted with
        {
            Rented = rented,
            Hits = rented - misses,
            Misses = misses,
            Returned = Math.Max(0, counted.Returned - failed),
            Leased = Math.Max(0, counted.Leased - waiting),
            Waiting = counted.Waiting + waiting,
            WaitTime = counted.WaitTime + _clock.Span(Volatile.Read(ref _waitTicks)),
            Timeouts = counted.Timeouts + Volatile.Read(ref _timeouts),
            Cancellations = counted.Cancellations + Volatile.Read(ref _cancellations),
            InOutage = items.Core.GetPhase() == RentPhase.Outage,
        };
    }

    private async Task<SharedItem<T>> WaitAsync(
        Lease<SharedUse<T>> place, long started, TimeSpan timeout, bool synchronous, CancellationToken cancellationToken)
    {
        // Nothing to report as a leak, or as a time of use: the use has not begun.
        var entry = (ResourceEntry<SharedUse<T>>)place.Slot!;
        entry.RentedAt = PoolClock.Never;
        var (outcome, since) = (WaitOutcome.Failed, _clock.Now);
        var counts = false;
        try
        {
            items.Core.CountCallersBehind(1, since);
            SharedItem<T>? member;
            while (!itemSet.TryEnter(out member))
            {
                // Unless something else ends it: Grow throws when the pool is closed.
                outcome = WaitOutcome.Closed;
                if (itemSet.Grow() is not { } growth)
                {
                    // Every item is full or about to go, although there is a place: one of them is being replaced this moment.
                    await YieldAsync(synchronous).ConfigureAwait(false);
                    continue;
                }

                // Its timer is set before it is seen to wait: a test may move the clock then.
                var waiting = synchronous ? null : WaitForAsync(growth.Task, started, timeout, cancellationToken);
                if (!counts)
                {
                    Interlocked.Increment(ref _waiting);
                    counts = true;
                }

                // An interrupt is a cancellation.
                outcome = WaitOutcome.Cancelled;
                outcome = waiting is null
                    ? WaitFor(growth, started, timeout, cancellationToken)
                    : await waiting.ConfigureAwait(false);
                switch (outcome)
                {
                    case WaitOutcome.TimedOut:
                        throw RentErrors.TimedOut(items, _clock.Span(_clock.Now - started), trace: null);
                    case WaitOutcome.Cancelled:
                        throw new OperationCanceledException(cancellationToken);
                    default:
                        // With the failure of the creation, if there is one.
                        await growth.Task.ConfigureAwait(false);
                        break;
                }
            }

            outcome = WaitOutcome.Given;
            entry.RentedAt = _clock.Now;
            return member;
        }
        finally
        {
            Interlocked.Add(ref _waiting, counts ? -1 : 0);
            Count(outcome, Math.Max(0, _clock.Now - since), synchronous);
            items.Core.CountCallersBehind(-1, _clock.Now);
        }
    }

    /// <summary>How the wait for an item ended; its failure is left where it is.</summary>
    private async Task<WaitOutcome> WaitForAsync(Task growth, long started, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var elapsed = _clock.Span(_clock.Now - started);
        var left = timeout == Timeout.InfiniteTimeSpan ? timeout
            : timeout > elapsed ? timeout - elapsed
            : TimeSpan.Zero;
        var time = items.Settings.Options.TimeProvider;
        try
        {
            await growth.WaitAsync(left, time, cancellationToken).ConfigureAwait(false);
            return WaitOutcome.None;
        }
#pragma warning disable CA1031 // Whoever awaits the growth itself meets it.
        catch (Exception) when (growth.IsCompleted)
        {
            return itemSet.IsClosed ? WaitOutcome.Closed : WaitOutcome.Failed;
        }
#pragma warning restore CA1031
        catch (TimeoutException)
        {
            return WaitOutcome.TimedOut;
        }
        catch (OperationCanceledException)
        {
            return WaitOutcome.Cancelled;
        }
    }

    /// <summary>The same on the caller's thread: neither the deadline nor the creation needs a thread of the thread pool, all of which may be blocked.</summary>
    private WaitOutcome WaitFor(SharedGrowth<T> growth, long started, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var deadline = timeout == Timeout.InfiniteTimeSpan ? PoolClock.Never : PoolClock.Add(started, _clock.Ticks(timeout));
        while (!growth.Task.IsCompleted)
        {
            if (cancellationToken.IsCancellationRequested)
            {
                return WaitOutcome.Cancelled;
            }

            if (_clock.Now >= deadline)
            {
                return WaitOutcome.TimedOut;
            }

            if (!TryAwait(growth.Task, items.Until(deadline, _patience), cancellationToken))
            {
                growth.RunOnOwnThread();
                items.RunQueuedOnOwnThreads();
            }
        }

        return growth.Task.IsCompletedSuccessfully ? WaitOutcome.None
            : itemSet.IsClosed ? WaitOutcome.Closed
            : WaitOutcome.Failed;
    }

    /// <returns>False if the time has passed.</returns>
    private static bool TryAwait(Task task, TimeSpan limit, CancellationToken cancellationToken)
    {
#pragma warning disable VSTHRD002 // The caller asked to block. A task, because the thread pool makes up for threads that wait for one.
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

    private void Count(WaitOutcome outcome, long waited, bool synchronous)
    {
        Interlocked.Add(ref _waitTicks, waited);
        Interlocked.Increment(ref outcome == WaitOutcome.Given ? ref _given : ref _failed);
        switch (outcome)
        {
            case WaitOutcome.TimedOut:
                Interlocked.Increment(ref _timeouts);
                break;
            case WaitOutcome.Cancelled:
                Interlocked.Increment(ref _cancellations);
                break;
        }

        if (places.ReportsWaits)
        {
            places.ReportWait(outcome, waited, synchronous);
        }
    }
}
