using Poolhouse.Kernel;
using Poolhouse.Kernel.Leases;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine;

/// <summary>Runs the policy hooks for the core, monitors their deadlines, and reports their results.</summary>
internal sealed class ResourceRuntime<T> : IEngineHost<T>, IDisposable
    where T : notnull
{
    private readonly ILeaseOwner<T> _owner;
    private readonly IPool _pool;
    private readonly PoolReporter _reporter;
    private readonly DeadlineTimer _alarm;
    private readonly ResourceHooks _hooks;
    private readonly bool _asksIfRevoked;
    private readonly TaskCompletionSource _empty;
    private TaskCompletionSource _atRest;
    private long _abandoned;
    private long _doubleReturns;
    private long _destroyFailures;
    private int _closed;

    /// <param name="policy">The policy with the hooks.</param>
    /// <param name="options">The settings, frozen.</param>
    /// <param name="share">The share of a capacity that several pools have in common, or null.</param>
    /// <param name="owner">The pool as seen by its leases.</param>
    /// <param name="face">The pool as seen by metrics and observers.</param>
    /// <param name="reporter">The recorder of durations.</param>
    public ResourceRuntime(
        ResourcePolicy<T> policy,
        ResourcePoolOptions options,
        SharedCapacity<T>.Member? share,
        ILeaseOwner<T> owner,
        IPool face,
        PoolReporter reporter)
    {
        _owner = owner;
        _pool = face;
        _reporter = reporter;
        _hooks = policy.Hooks;
        _asksIfRevoked = _hooks.HasFlag(ResourceHooks.IsRevoked);
        Policy = policy;
        Scheduler = options.Scheduler;
        _atRest = new TaskCompletionSource(Scheduler.Completion);
        _empty = new TaskCompletionSource(Scheduler.Completion);
        Clock = new PoolClock(options.TimeProvider);
        Deadlines = new DeadlineMonitor<T>(Clock, ScheduleAt);
        WarmUps = new WarmUps<T>(this);
        Core = new ResourceCore<T>(this, NewSettings(options), NewDelays(options), CellCount(), share);
        _alarm = new DeadlineTimer(options.TimeProvider, Clock, Check, Deadlines.UnderWay, WarmUps.Waiting, Core.Queue);
        share?.Attach(Core, Clock);
    }

    public ResourcePolicy<T> Policy { get; }

    public WorkScheduler Scheduler { get; }

    public PoolClock Clock { get; }

    public DeadlineMonitor<T> Deadlines { get; }

    public ResourceCore<T> Core { get; }

    public WarmUps<T> WarmUps { get; }

    public ResourceSettings Settings => Core.Settings;

    public string Name => _owner.Name;

    /// <summary>Whether blocked callers may use the system clock, because it is the clock of the pool.</summary>
    public bool HasRealClock => ReferenceEquals(Settings.Options.TimeProvider, TimeProvider.System);

    /// <summary>How long a thread may block before it checks again: up to the deadline if the pool's clock is the real one.</summary>
    public TimeSpan Until(long deadline, TimeSpan atMost)
    {
        if (deadline == PoolClock.Never || !HasRealClock)
        {
            return atMost;
        }

        var left = TimeSpan.FromMilliseconds(Math.Ceiling(Clock.Span(Math.Max(0, deadline - Clock.Now)).TotalMilliseconds));
        return left < atMost ? left : atMost;
    }

    /// <summary>Whether the pool serves no caller any more, not even those that were waiting.</summary>
    public bool IsClosed => Volatile.Read(ref _closed) != 0;

    /// <summary>Completes when a closed pool has no operations in progress any more; leases may still be active.</summary>
    public Task WhenAtRestAsync()
    {
        var atRest = Volatile.Read(ref _atRest);
        if (!atRest.Task.IsCompleted)
        {
            return atRest.Task;
        }

        // It was at rest. Leases may have ended since, and their items may be in destruction.
        var next = new TaskCompletionSource(Scheduler.Completion);
        atRest = Interlocked.CompareExchange(ref _atRest, next, atRest) == atRest ? next : Volatile.Read(ref _atRest);
        if (Core.GetClosingState().AtRest)
        {
            atRest.TrySetResult();
        }

        return atRest.Task;
    }

    /// <summary>Completes when a drained pool is empty.</summary>
    public Task WhenEmptyAsync() => _empty.Task;

    public void Start() => Core.Reconsider(Clock.Now);

    public void Reconfigure(ResourcePoolOptions options)
    {
        Core.Reconfigure(NewSettings(options), NewDelays(options), Clock.Now);
        WarmUps.Progress();
    }

    public void Close(bool drain)
    {
        if (!drain)
        {
            Volatile.Write(ref _closed, 1);
            if (_pool is ResourcePool<T>)
            {
                // The pool of one key was never reported itself; the keyed pool continues without it.
                _reporter.Remove(_pool);
            }
        }

        Core.Close(drain, Clock.Now);
        WarmUps.Close(RentErrors.Closed(Name));
        if (!drain)
        {
            foreach (var work in Deadlines.ToList().Where(work => work.EndsWithPool))
            {
                work.Cancel();
            }
        }
    }

    public void Dispose() => _alarm.Dispose();

    public ResourcePoolStatistics GetStatistics() => Core.GetStatistics(
        Clock.Now, Clock, Interlocked.Read(ref _doubleReturns), Interlocked.Read(ref _destroyFailures), Interlocked.Read(ref _abandoned));

    // Requests of the core

    public void BeginCreate(bool synchronously) => new CreateCall<T>(this, synchronously).Queue(onOwnThread: synchronously);

    public void BeginCheck(ResourceEntry<T> entry, bool keepAlive) =>
        Begin(entry, keepAlive ? EntryState.KeepingAlive : EntryState.Validating, tainted: false).Queue();

    public void BeginDestroy(ResourceEntry<T> entry, DestroyReason reason) =>
        new DestroyCall<T>(this, entry.Item, entry, reason).Queue();

    public bool IsRevoked(ResourceEntry<T> entry) => _asksIfRevoked && Policy.IsRevoked(entry.Item);

    public void ScheduleAt(long time) => _alarm.ScheduleAt(time);

    public void Closing()
    {
        // Read before the state: a later request for this task reads the state itself.
        var waiting = Volatile.Read(ref _atRest);
        var (empty, atRest) = Core.GetClosingState();
        if (atRest)
        {
            waiting.TrySetResult();
        }

        if (empty)
        {
            _empty.TrySetResult();
            if (atRest)
            {
                Dispose();
            }
            else
            {
                // Drained: the pool closes even if the caller that drained it has stopped waiting.
                Close(drain: false);
            }
        }
    }

    // Requests of returns and rents

    /// <summary>Resets a returned entry; destroys it if there is not enough memory for that.</summary>
    /// <returns>A task that completes when the reset has ended, if requested; otherwise a completed task.</returns>
    public Task ResetAsync(ResourceEntry<T> entry, bool awaitsEnd, long now)
    {
        var tainted = entry.WasTainted;
        try
        {
            var work = Begin(entry, EntryState.Resetting, tainted);
            var ended = awaitsEnd ? work.WhenEndedAsync() : Task.CompletedTask;
            Core.BeginReset(entry, now);
            work.Queue();
            return ended;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            Core.Retire(entry, tainted ? DestroyReason.Tainted : DestroyReason.ResetFailed, now);
            return Task.CompletedTask;
        }
    }

    /// <summary>Returns why an entry cannot be used, or null if it can.</summary>
    public DestroyReason? Inspect(ResourceEntry<T> entry, long now) =>
        now >= entry.Expiry ? entry.ExpiryReason
        : InspectItem(entry);

    /// <summary>Does the same as <see cref="Inspect"/>, for an entry that has not been used since it became idle.</summary>
    public DestroyReason? InspectIdle(ResourceEntry<T> entry, long now) =>
        Inspect(entry, now) ?? (now - entry.FreshSince >= Settings.CheckAfterIdle && IsItemClosed(entry.Item) ? DestroyReason.Broken : null);

    /// <summary>Returns why an item cannot be used, regardless of its age, or null if it can.</summary>
    public DestroyReason? InspectItem(ResourceEntry<T> entry) =>
        !Settings.AsksIfBroken || !IsBroken(entry.Item) ? null
        : IsRevoked(entry) ? DestroyReason.ParentRetired
        : DestroyReason.Broken;

#pragma warning disable CA1031 // A hook that throws means that the item cannot be used.
    public bool IsBroken(T item)
    {
        try
        {
            return Policy.IsBroken(item);
        }
        catch (Exception)
        {
            return true;
        }
    }

    private bool IsItemClosed(T item)
    {
        try
        {
            return Policy.IsClosed(item);
        }
        catch (Exception)
        {
            return true;
        }
    }

    /// <summary>Whether the policy reports a failure of its own as permanent.</summary>
    public bool IsPermanent(Exception failure)
    {
        try
        {
            return Policy.IsPermanent(failure);
        }
        catch (Exception)
        {
            return false;
        }
    }

    /// <summary>Whether a returned entry that is not tainted is neither broken nor in need of a reset. False if the policy cannot tell.</summary>
    public bool IsAsNew(ResourceSettings settings, ResourceEntry<T> entry)
    {
        if (!settings.Resets)
        {
            return !IsBroken(entry.Item);
        }

        try
        {
            return settings.AsksIfNeedsReset && Policy.IsPristine(entry.Item);
        }
        catch (Exception)
        {
            return false;
        }
    }

    /// <summary>Whether a returned entry that is not tainted must be reset before its next lease.</summary>
    public bool NeedsReset(ResourceSettings settings, ResourceEntry<T> entry)
    {
        if (!settings.Resets || !settings.AsksIfNeedsReset)
        {
            return settings.Resets;
        }

        try
        {
            return Policy.NeedsReset(entry.Item);
        }
        catch (Exception)
        {
            return true;
        }
    }
#pragma warning restore CA1031

    public bool IsStale(ResourceEntry<T> entry, long now) =>
        now - entry.FreshSince >= Settings.ValidateAfterIdle || (entry.IsDoubted && Settings.ValidateAfterIdle != PoolClock.Never);

    public LeaseInfo InfoOf(ResourceEntry<T> entry, long now) =>
        new(entry.Uses, Clock.Span(now - entry.CreatedAt), Clock.Span(entry.IsLeased ? entry.IdleBefore : now - entry.IdleSince));

    /// <summary>Runs work that the thread pool has not started on dedicated threads: all thread-pool threads may be blocked.</summary>
    public void RunQueuedOnOwnThreads()
    {
        foreach (var work in Deadlines.ToList().Where(work => work.IsQueued))
        {
            TryPostToOwnThread(work);
        }
    }

    /// <summary>Posts work that is also queued to the thread pool: if no thread can be created, it stays there.</summary>
    public void TryPostToOwnThread(IThreadPoolWorkItem work)
    {
        try
        {
            Scheduler.PostToOwnThread(work);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The caller that waits for it retries soon, and has a deadline.
        }
    }

    // Results of the work

    public void Created(T item, int generation, bool synchronously, long startedAt)
    {
        var now = Clock.Now;
        try
        {
            var entry = new ResourceEntry<T>(item, _owner, now, generation)
            {
                ExpiresAt = Settings.ExpiryOf(now, Settings.Options.Random.NextDouble()),
            };
            Core.Created(entry, synchronously, now - startedAt, now);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            ReportCreateFailed(CreateFailed(failure, permanent: false, synchronously));
            DestroyLate(item);
            return;
        }

        WarmUps.Progress();
        var duration = Clock.Span(now - startedAt);
        _reporter.RecordCreateTime(_pool, duration);
        Observe(new ItemCreated(_pool, duration), static (observer, created) => observer.OnCreated(created));
    }

    /// <returns>The event to report.</returns>
    public ItemCreateFailed CreateFailed(Exception failure, bool permanent, bool synchronously)
    {
        var pause = Core.CreateFailed(failure, permanent, synchronously, Clock.Now);
        WarmUps.Fail(failure);
        return new ItemCreateFailed(_pool, failure, Core.Failures, Clock.Span(pause));
    }

    public void ReportCreateFailed(ItemCreateFailed failed) => Observe(failed, static (observer, failed) => observer.OnCreateFailed(failed));

    /// <summary>Destroys an item whose creation completed after it had been abandoned. Runs on a thread of the pool.</summary>
    public void DestroyLate(T item)
    {
        Core.CountCreatedTooLate();
        new DestroyCall<T>(this, item, entry: null, DestroyReason.CreatedTooLate).QueueOrRun();
    }

    public void ReportDestroyed(DestroyReason reason, Exception? failure)
    {
        if (failure is not null)
        {
            Interlocked.Increment(ref _destroyFailures);
        }

        Observe(new ItemDestroyed(_pool, reason, failure), static (observer, destroyed) => observer.OnDestroyed(destroyed));
    }

    /// <summary>Whether waits are recorded or observed.</summary>
    public bool ReportsWaits => _reporter.RecordsWaits || Settings.Options.Observer is not null;

    public void ReportWait(WaitOutcome outcome, long waited, bool synchronous)
    {
        var time = Clock.Span(waited);
        _reporter.RecordWait(_pool, outcome, time, synchronous);
        Observe(new WaitEnded(_pool, outcome, time), static (observer, ended) => observer.OnWaitEnded(ended));
    }

    public void CountDoubleReturn() => Interlocked.Increment(ref _doubleReturns);

    public void CountAbandoned() => Interlocked.Increment(ref _abandoned);

    private static int CellCount() => (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(Environment.ProcessorCount, 1, 64));

    private ItemCall<T> Begin(ResourceEntry<T> entry, EntryState activity, bool tainted)
    {
        var work = entry.Work ??= new ItemCall<T>(this, entry);
        work.Prepare(activity, tainted);
        return work;
    }

#pragma warning disable CA1031 // A failing observer must not affect the pool.
    private void Observe<TEvent>(TEvent what, Action<ResourcePoolObserver, TEvent> tell)
    {
        if (Settings.Options.Observer is not { } observer)
        {
            return;
        }

        try
        {
            tell(observer, what);
        }
        catch (Exception)
        {
            // There is nowhere to report it.
        }
    }
#pragma warning restore CA1031

    /// <summary>Runs all periodic and timed work.</summary>
    private long Check(long now)
    {
        Clock.Synchronize();
        var overdue = Deadlines.AbandonOverdue(now, out var next);
        next = Math.Min(next, Core.Expire(now));

        // A list of this call's own: two calls may overlap, and no lock is held while the observer runs.
        List<(long LeasedFor, LeaseTrace? Trace)> leaks = [];
        ScheduleAt(Math.Min(next, Core.Sweep(now, leaks)));

        // Everything that was due is done, and the next check is scheduled. An observer that blocks delays only this thread (I7).
        while (overdue?.TakeFirst() is { } work)
        {
            work.ReportGivenUp();
        }

        foreach (var (leasedFor, trace) in leaks)
        {
            var suspected = new LeakSuspected(_pool, Clock.Span(leasedFor), trace?.Site);
            Observe(suspected, static (observer, suspected) => observer.OnLeakSuspected(suspected));
        }

        return PoolClock.Never;
    }

    private ResourceSettings NewSettings(ResourcePoolOptions options) => new(options, Clock, _hooks);

    private CoDelController? NewDelays(ResourcePoolOptions options) =>
        options.Overload is { } overload ? new CoDelController(Clock.Ticks(overload.Target), Clock.Ticks(overload.Interval)) : null;
}
