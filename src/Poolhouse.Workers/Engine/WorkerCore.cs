using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Items;
using Poolhouse.Workers.Queueing;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Engine;

/// <summary>
/// The part of a worker pool that does not depend on the type of the state: accepts items, and connects the other parts.
/// </summary>
// Parts: LaneScheduler holds the items in lanes; WorkerSet the workers that run them; ItemDropper ends items that never start;
//   WorkerTimer runs what is timed; WorkerEvents reports to the observer.
// Order of writes
//   an item is queued before the workers are notified (WorkerSet), and before the stage of the set is read: either the thread
//   that closes the pool finds the item in its lane, or the thread that queued it sees that the pool is closed, and drops it
// Locks: _changing, around a whole change of the settings, so that a change is based on the one before; others inside it. No user
// code runs under it: whether metrics have listeners is read from the instruments of .NET.
internal sealed class WorkerCore : IDisposable
{
    /// <summary>How long to wait after a thread could not be started.</summary>
    public static readonly TimeSpan StartRetry = TimeSpan.FromSeconds(1);

    private readonly LaneQueue[] _lanes;
#pragma warning disable CA2213 // Its cancellation may be queued even after the last thread has ended; it has no timer to release.
    private readonly CancellationTokenSource _closing = new();
#pragma warning restore CA2213
    private readonly Lock _changing = new();
    private WorkerSettings _settings;
    private long _runByCallers;
    private int _generation;

    public WorkerCore(IPool reportedAs, string name, WorkerPoolOptions options, WorkerFactory factory)
    {
        Factory = factory;
        Closing = _closing.Token;
        ReportedAs = reportedAs;
        Name = name;
        Clock = new PoolClock(options.TimeProvider);
        _settings = new WorkerSettings(options, Clock);
        Reporter = PoolReporter.Of(options.Meter, options.MeterFactory);
        _lanes = [.. options.Lanes.Select(lane => new LaneQueue(lane.Weight, lane.Capacity ?? options.QueueCapacity))];
        Workers = new WorkerSet(this, new LaneScheduler(_lanes), options.MaxWorkers, options.MinWorkers);
        Context = new WorkerPoolContext(this);
        WarmUp = new StateWarmUp(Workers);
        Drops = new ItemDropper(this);
        Events = new WorkerEvents(this);
        Timer = new WorkerTimer(this, options.TimeProvider);
    }

    public IPool ReportedAs { get; }

    public string Name { get; }

    public WorkerSettings Settings => Volatile.Read(ref _settings);

    public WorkerPoolOptions Options => Settings.Options;

    public PoolClock Clock { get; }

    public PoolReporter Reporter { get; }

    public WorkerSet Workers { get; }

    public StateWarmUp WarmUp { get; }

    public ItemDropper Drops { get; }

    public WorkerEvents Events { get; }

    public WorkerTimer Timer { get; }

    /// <summary>The context that returns continuations to any worker.</summary>
    public WorkerPoolContext Context { get; }

    public WorkerFactory Factory { get; }

    public ItemLimits NoLimits => new(Clock.Coarse, PoolClock.Never, PoolClock.Never);

    /// <summary>Whether this thread is one of the pool's.</summary>
    public bool IsWorkerThread => Worker.Current?.Workers == Workers;

    /// <summary>
    /// Whether an asynchronous item would wait for its own worker: the item occupies its worker until its task has completed.
    /// </summary>
    public bool IsAwaitedByWorker => IsWorkerThread && Worker.Current!.IsAsynchronous;

    /// <summary>Cancelled when the pool is closed.</summary>
    public CancellationToken Closing { get; }

    /// <summary>The current generation; states of an earlier generation are cleared.</summary>
    public int Generation => Volatile.Read(ref _generation);

    public LaneQueue FirstLane => _lanes[0];

    public LaneQueue Lane(in WorkOptions options)
    {
        if ((uint)options.Lane >= (uint)_lanes.Length)
        {
            throw new ArgumentOutOfRangeException(
                nameof(options), options.Lane,
                $"WorkOptions.Lane is {options.Lane}; allowed: 0 to {_lanes.Length - 1}, the lanes of the pool.");
        }

        return _lanes[options.Lane];
    }

    public ItemLimits Limits(in WorkOptions options)
    {
        var settings = Settings;
        if (options.QueueTimeout is null && options.RunTimeout is null)
        {
            return new ItemLimits(
                settings.QueueTicks == PoolClock.Never ? Clock.Coarse : Clock.Now, settings.QueueTicks, settings.RunTicks);
        }

        var errors = new PoolOptionErrors();
        errors.CheckDuration(options.QueueTimeout ?? Timeout.InfiniteTimeSpan, "WorkOptions.QueueTimeout", TimeSpan.Zero);
        errors.CheckDuration(
            options.RunTimeout ?? Timeout.InfiniteTimeSpan, "WorkOptions.RunTimeout", TimeSpan.FromMilliseconds(1));
        errors.ThrowIfAny(options);
        return new ItemLimits(
            Clock.Now,
            options.QueueTimeout is { } queue ? Clock.Ticks(queue) : settings.QueueTicks,
            options.RunTimeout is { } run ? Clock.Ticks(run) : settings.RunTicks);
    }

    public void ThrowIfClosed()
    {
        if (!Workers.IsOpen)
        {
            throw WorkErrors.Closed(Name);
        }
    }

    /// <summary>Rejects calls that would block one of the pool's own threads until an item of the same pool has run.</summary>
    public void ThrowIfOnWorker()
    {
        if (IsWorkerThread)
        {
            throw WorkErrors.BlocksOnOwnPool(Name);
        }
    }

    /// <summary>Rejects calls of an asynchronous item that would wait for its own worker.</summary>
    public void ThrowIfAwaitedByWorker(string method)
    {
        if (IsAwaitedByWorker)
        {
            throw WorkErrors.AwaitsOwnWorker(Name, method);
        }
    }

    /// <summary>Queues the item if there is capacity for it.</summary>
    public bool TryEnqueue(WorkItem item)
    {
        var (lane, version, limit, postedAt) = (item.Lane!, item.Version, item.QueueLimit, item.PostedAt);
        var hasKey = item.Key is not null;
        if (!lane.TryAccept(item))
        {
            return false;
        }

        Announce(hasKey);
        AfterEnqueue(item, version, lane, limit, postedAt);
        return true;
    }

    /// <summary>Queues the item, or applies <see cref="WorkerPoolOptions.QueueFull"/>.</summary>
    /// <returns>False if the caller must run the item, which it then still owns.</returns>
    /// <exception cref="PoolOverloadedException">The item was rejected; the caller still owns it.</exception>
    public bool Enqueue(WorkItem item)
    {
        var (lane, version, limit, postedAt) = (item.Lane!, item.Version, item.QueueLimit, item.PostedAt);
        var hasKey = item.Key is not null;
        var admission = item.Admission;
        while (!lane.TryAccept(item))
        {
            switch (Options.QueueFull)
            {
                case QueueFullMode.Reject:
                    Drops.CountRejected();
                    throw WorkErrors.Rejected(this, lane);
                case QueueFullMode.CallerRuns when CanRunByCaller(item):
                    return false;
                case QueueFullMode.DropNewest:
                    Drops.Drop(item, WorkDropReason.QueueFull);
                    return true;
                case QueueFullMode.DropOldest:
                    // While other work waits for a slot, that work would get the slot of a dropped item, so nothing older is
                    // dropped for this one.
                    if (lane.HasOverflow || !lane.TryTakeOldest(out var oldest))
                    {
                        Drops.Drop(item, WorkDropReason.QueueFull);
                        return true;
                    }

                    Drops.Drop(oldest, WorkDropReason.QueueFull);
                    break;
                default:
                    if (lane.AcceptOrWait(item))
                    {
                        admission?.TrySetResult();
                    }

                    lane.AdmitAsRoomAllows();
                    Announce(hasKey);
                    AfterEnqueue(item, version, lane, limit, postedAt);
                    return true;
            }
        }

        admission?.TrySetResult();
        Announce(hasKey);
        AfterEnqueue(item, version, lane, limit, postedAt);
        return true;
    }

    /// <summary>Queues an item that cannot be dropped, even while the pool drains; it waits for capacity if necessary.</summary>
    public void EnqueueAccepted(WorkItem item)
    {
        var (lane, version) = (item.Lane!, item.Version);
        lane.AcceptOrWait(item);
        lane.AdmitAsRoomAllows();
        Workers.Notify();
        AfterEnqueue(item, version, lane, PoolClock.Never, postedAt: 0);
    }

    /// <summary>Runs an item on the caller's thread, with a state of its own.</summary>
    /// <returns>The exception it threw, or null.</returns>
    public Exception? RunByCaller(WorkItem item)
    {
        Interlocked.Increment(ref _runByCallers);
        var failure = Factory.RunByCaller(this, item);
        if (failure is not null)
        {
            Events.ReportFailed(Events.AreObserved ? item.Describe() : string.Empty, failure);
        }

        return failure;
    }

    /// <summary>Applies new settings.</summary>
    /// <param name="change">Returns the settings, given the current ones; they must be validated.</param>
    public void Reconfigure(Func<WorkerPoolOptions, WorkerPoolOptions> change)
    {
        List<Worker> surplus;
        lock (_changing)
        {
            var options = change(Options);
            Volatile.Write(ref _settings, new WorkerSettings(options, Clock));
            surplus = Workers.Termination.SetLimits(options.MaxWorkers, options.MinWorkers);
        }

        // Not under the lock, because the observer is notified of a thread that cannot be started. With concurrent changes, this
        // applies to the settings of the last one.
        Workers.Termination.EndSurplus(surplus);

        // Limits may be shorter now than when the next check was scheduled.
        Timer.ScheduleAt(Clock.Now);
        WarmUp.CreateStates(Options.MinWorkers);
    }

    /// <summary>Replaces the states that exist now, or are being created, each at a random moment within a time.</summary>
    public void Clear(TimeSpan spread)
    {
        var now = Clock.Now;
        if (spread == TimeSpan.Zero)
        {
            Interlocked.Increment(ref _generation);
        }

        foreach (var worker in Workers.ToList())
        {
            var end = now + (long)(Clock.Ticks(spread) * Options.Random.NextDouble());
            worker.TrySend(spread == TimeSpan.Zero ? StateCommand.DestroyExpired : StateCommand.EndAt(end, clearedAt: now));
        }
    }

    /// <summary>
    /// Whether something waits for the worker's pool because of its current item: another item that it, or asynchronous work that
    /// it started, has queued; or a callback for its thread.
    /// </summary>
    public bool IsAwaitedBy(Worker worker)
    {
        var run = worker.Watch.RunNumber;
        return worker.HasContinuations
            || Workers.Queue.ToList().Exists(item => item.PostedBy is { } by && by.Worker == worker && by.Run == run);
    }

    public WorkerPoolStatistics GetStatistics()
    {
        var now = Clock.Coarse;
        var longest = Workers.ToList().Max(worker => worker.Watch.Report(now)?.RanFor) ?? TimeSpan.Zero;
        var waiting = Workers.Queue.Count;
        var oldest = waiting == 0 ? PoolClock.Never : Workers.Queue.OldestPost();
        var snapshot = Workers.Count();
        var counters = snapshot.Counters;
        var destroyed = counters.Destroyed;
        return new WorkerPoolStatistics
        {
            Rented = counters.Hits + counters.Misses,
            Hits = counters.Hits,
            Misses = counters.Misses,
            Returned = counters.Ended,
            Created = counters.Created,
            Destroyed = destroyed.Sum(),
            DestroyFailures = counters.DestroyFailures,
            IdleWorkers = snapshot.IdleStates,
            Leased = snapshot.Busy,
            PeakWorkers = snapshot.Peak,
            MaxWorkers = Workers.Max,
            Workers = snapshot.Workers,
            Waiting = waiting,
            OldestWait = oldest == PoolClock.Never ? TimeSpan.Zero : Clock.Span(Math.Max(0, now - oldest)),
            OldestRun = longest,
            Timeouts = Drops.Timeouts,
            Cancellations = Drops.Cancellations,
            Shed = Drops.Shed,
            CreateFailures = counters.CreateFailures,
            Abandoned = Drops.Abandonments,
            Stuck = Events.Stuck,
            WaitTime = Clock.Span(counters.WaitTicks),
            CreateTime = Clock.Span(counters.CreateTicks),
            RunTime = Clock.Span(counters.RunTicks),
            DestroyedByReason = destroyed,
            Failed = counters.Failed,
            RunByCallers = Volatile.Read(ref _runByCallers),
            AbandonedWorkers = snapshot.Abandoned,
            Closed = !Workers.IsOpen,
        };
    }

    /// <summary>Prevents all further items from starting and drops those that are queued.</summary>
    public void Close()
    {
        Workers.Termination.Close();
        Reporter.Remove(ReportedAs);
        Drops.DropQueued();

        // The callbacks are the policy's code: they never run on the stack of the thread that disposes the pool.
        Interrupts.Defer(
            new Cancellation(_closing),
            static cancellation => ThreadPool.UnsafeQueueUserWorkItem(cancellation, preferLocal: true));
    }

    /// <summary>Called when the last thread has ended.</summary>
    public void Dispose()
    {
        Reporter.Remove(ReportedAs);
        Drops.DropQueued();
        Timer.Dispose();
    }

    // An item with a run timeout waits: the caller could not be notified of the timeout while it runs the item itself. So does
    // one with a queue timeout of zero, which never starts.
    private static bool CanRunByCaller(WorkItem item) =>
        item.CanRunAnywhere && item.Key is null && item.RunLimit == PoolClock.Never && item.QueueLimit > 0
        && Worker.CleanContext is not null;

    private void Announce(bool hasKey)
    {
        if (hasKey)
        {
            // An item behind another one of its key needs no worker yet.
            Workers.CheckAgain();
        }
        else
        {
            Workers.Notify();
        }
    }

    private void AfterEnqueue(WorkItem item, long version, LaneQueue lane, long limit, long postedAt)
    {
        if (limit != PoolClock.Never)
        {
            Timer.Watch(item, version, PoolClock.Add(postedAt, limit));
        }

        if (Workers.IsClosed && lane.TryRemove(item, version))
        {
            Drops.Drop(item, WorkDropReason.PoolClosed);
        }
    }
}
