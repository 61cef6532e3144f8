using System.Diagnostics.Metrics;
using Poolhouse.Kernel;

namespace Poolhouse.Workers;

/// <summary>The settings of a worker pool. Only <see cref="MaxWorkers"/> has no default.</summary>
/// <remarks>A pool copies its options; changing them later has no effect on it. Not thread safe.</remarks>
public sealed class WorkerPoolOptions : IPoolSettings<WorkerPoolOptions>
{
    private IList<WorkLane> _lanes = [];

    /// <summary>The largest allowed value of <see cref="MaxWorkers"/>.</summary>
    internal const int LargestMaxWorkers = 10_000;

    /// <summary>
    /// The maximum number of threads that run at the same time. A thread is started when an item finds all of them busy.
    /// </summary>
    /// <value>Required; 1 to 10,000.</value>
    public required int MaxWorkers { get; set; }

    /// <summary>
    /// How many threads are started immediately, together with their states, and never end because they are idle.
    /// </summary>
    /// <value>0 by default; 0 to <see cref="MaxWorkers"/>.</value>
    /// <remarks>
    /// An abandoned thread is replaced immediately, even without new work; a thread that could not be started is retried every
    /// second. A state that could not be created is not retried: the next item on its thread tries again.
    /// </remarks>
    public int MinWorkers { get; set; }

    /// <summary>How long a thread beyond <see cref="MinWorkers"/> may be idle before it ends.</summary>
    /// <value>
    /// 20 seconds by default, as in .NET's own thread pool; at least 1 millisecond, or <see cref="Timeout.InfiniteTimeSpan"/> for
    /// no limit.
    /// </value>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(20);

    /// <summary>The capacity of a lane: how many items may wait in it.</summary>
    /// <value>Unbounded (<see cref="int.MaxValue"/>) by default; 1 or more.</value>
    public int QueueCapacity { get; set; } = int.MaxValue;

    /// <summary>How an item is handled when its lane is full.</summary>
    /// <value><see cref="QueueFullMode.Wait"/> by default.</value>
    public QueueFullMode QueueFull { get; set; } = QueueFullMode.Wait;

    /// <summary>The lanes of the queue, by index.</summary>
    /// <value>Empty by default, which means one lane of weight 1. At most 64 lanes; none may be null.</value>
    public IList<WorkLane> Lanes
    {
        get => _lanes;
        init => _lanes = value;
    }

    /// <summary>
    /// How long an item may wait before it starts. After that it is dropped, and its caller gets a
    /// <see cref="WorkTimeoutException"/>.
    /// </summary>
    /// <value>
    /// <see cref="Timeout.InfiniteTimeSpan"/> (off) by default; otherwise zero or more. With zero, no item ever starts.
    /// </value>
    public TimeSpan QueueTimeout { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How long an item may run. After that its caller gets a <see cref="WorkTimeoutException"/>, and its thread is abandoned:
    /// another thread replaces it, and it ends when the item ends.
    /// </summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (off) by default; otherwise at least 1 millisecond.</value>
    /// <remarks>
    /// Intended for calls that may hang and cannot be cancelled. Such a call cannot be stopped; the pool continues without its
    /// thread. The run time includes the check of the state after the item. The time it takes to create a state does not count as
    /// run time, but is subject to the same limit separately, also if it is created ahead of demand.
    /// </remarks>
    public TimeSpan RunTimeout { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How many abandoned threads may be replaced before they have ended. Abandoned threads beyond this number keep occupying
    /// their slots until others have ended or this number is raised.
    /// </summary>
    /// <value>
    /// <c>null</c> by default: as many as <see cref="MaxWorkers"/>, so there are never more than twice as many threads. Otherwise
    /// 0 to 10,000.
    /// </value>
    public int? MaxAbandonedWorkers { get; set; }

    /// <summary>How long an item may run before it is reported as stuck. Each item is reported once.</summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (off) by default; otherwise at least 1 millisecond.</value>
    public TimeSpan StuckThreshold { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>After how many items a state is destroyed and created again.</summary>
    /// <value>Never (<see cref="int.MaxValue"/>) by default; 1 or more.</value>
    public int MaxItemsPerState { get; set; } = int.MaxValue;

    /// <summary>The maximum age of a state. An older state is destroyed between two items, or when its thread is idle.</summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (no limit) by default; otherwise at least 1 second.</value>
    public TimeSpan MaxStateLifetime { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// The fraction of <see cref="MaxStateLifetime"/> that is randomized, so that states created together do not all expire at
    /// the same time.
    /// </summary>
    /// <value>0.1 by default: each state lives for 90 to 100 % of the lifetime; 0 to 1.</value>
    public double LifetimeJitter { get; set; } = 0.1;

    /// <summary>
    /// Whether items run in the <see cref="ExecutionContext"/> of the caller that queued them, with its async locals, activities
    /// and cultures.
    /// </summary>
    /// <value>False by default: no caller context is kept alive by the pool's threads, and none has to be captured.</value>
    public bool FlowExecutionContext { get; set; }

    /// <summary>The base name of the threads; a number is appended.</summary>
    /// <value><c>null</c> by default: the name of the pool. Otherwise not blank.</value>
    public string? ThreadName { get; set; }

    /// <summary>The priority of the threads.</summary>
    /// <value><see cref="ThreadPriority.Normal"/> by default. Some systems, among them Linux, ignore it.</value>
    public ThreadPriority Priority { get; set; } = ThreadPriority.Normal;

    /// <summary>The maximum stack size of each thread, in bytes.</summary>
    /// <value>0 (the system's default) by default; otherwise 131,072 or more.</value>
    public int MaxStackSize { get; set; }

    /// <summary>Whether the process may end while the threads are running.</summary>
    /// <value>True by default.</value>
    public bool IsBackground { get; set; } = true;

    /// <summary>The COM apartment of the threads.</summary>
    /// <value>
    /// <see cref="ApartmentState.Unknown"/> (the system's default) by default. The other values are supported on Windows only.
    /// </value>
    public ApartmentState ApartmentState { get; set; } = ApartmentState.Unknown;

    /// <summary>How long <see cref="WorkerPool{TState}.DisposeAsync"/> waits for items that are running.</summary>
    /// <value>5 seconds by default; zero or more, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    public TimeSpan StopTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Receives the pool's events.</summary>
    /// <value><c>null</c> by default.</value>
    public WorkerPoolObserver? Observer { get; set; }

    /// <summary>The name of the pool in metrics and messages.</summary>
    /// <value><c>null</c> by default: the type of the state. Otherwise not blank. Must not contain secrets.</value>
    public string? Name { get; set; }

    /// <summary>The clock that the pool uses.</summary>
    /// <value><see cref="TimeProvider.System"/> by default; not null.</value>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>The meter in which the pool registers its instruments.</summary>
    /// <value>
    /// <c>null</c> by default: the meter of <see cref="MeterFactory"/>, or else the process-wide meter "Poolhouse".
    /// </value>
    public Meter? Meter { get; set; }

    /// <summary>The factory that creates a meter named "Poolhouse" when <see cref="Meter"/> is null.</summary>
    /// <value><c>null</c> by default.</value>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>The source of randomness for lifetimes.</summary>
    internal Random Random { get; set; } = Random.Shared;

    /// <summary>Starts a thread with its argument. Tests replace it to simulate a system that has no threads left.</summary>
    internal Action<Thread, object> StartThread { get; set; } = static (thread, worker) => thread.UnsafeStart(worker);

    void IPoolSettings<WorkerPoolOptions>.ValidateChange(PoolOptionErrors errors, string prefix, WorkerPoolOptions current)
    {
        errors.CheckUnchanged(Name, nameof(Name), current.Name);
        errors.CheckSame(TimeProvider, nameof(TimeProvider), current.TimeProvider);
        errors.CheckSame(Meter, nameof(Meter), current.Meter);
        errors.CheckSame(MeterFactory, nameof(MeterFactory), current.MeterFactory);
        errors.CheckUnchanged(QueueCapacity, nameof(QueueCapacity), current.QueueCapacity);
        errors.Check(
            Lanes is null || LanesOf(Lanes).SequenceEqual(current.Lanes), nameof(Lanes), "other ones",
            "the same as before, because it cannot be changed");
        errors.CheckUnchanged(FlowExecutionContext, nameof(FlowExecutionContext), current.FlowExecutionContext);
        errors.CheckUnchanged(ThreadName, nameof(ThreadName), current.ThreadName);
        errors.CheckUnchanged(Priority, nameof(Priority), current.Priority);
        errors.CheckUnchanged(MaxStackSize, nameof(MaxStackSize), current.MaxStackSize);
        errors.CheckUnchanged(IsBackground, nameof(IsBackground), current.IsBackground);
        errors.CheckUnchanged(ApartmentState, nameof(ApartmentState), current.ApartmentState);
    }

    WorkerPoolOptions IPoolSettings<WorkerPoolOptions>.CopyOver(WorkerPoolOptions? current)
    {
        var copy = (WorkerPoolOptions)MemberwiseClone();
        copy._lanes = LanesOf(Lanes);
        copy.Random = current?.Random ?? Random;
        copy.StartThread = current?.StartThread ?? StartThread;
        return copy;
    }

    private static IList<WorkLane> LanesOf(IList<WorkLane> lanes) => lanes.Count == 0 ? [new WorkLane()] : [.. lanes];

    void IPoolSettings<WorkerPoolOptions>.Validate(PoolOptionErrors errors, string prefix)
    {
        var tick = TimeSpan.FromMilliseconds(1);
        errors.CheckRange(MaxWorkers, nameof(MaxWorkers), 1, LargestMaxWorkers);
        errors.CheckMinimum(
            MinWorkers, nameof(MinWorkers), MaxWorkers, nameof(MaxWorkers),
            maxIsValid: MaxWorkers is >= 1 and <= LargestMaxWorkers);
        errors.CheckDuration(IdleTimeout, nameof(IdleTimeout), tick);
        errors.Check(QueueCapacity >= 1, nameof(QueueCapacity), QueueCapacity, "1 or more");
        errors.Check(
            QueueFull is >= QueueFullMode.Wait and <= QueueFullMode.DropNewest,
            nameof(QueueFull), QueueFull, "Wait, Reject, CallerRuns, DropOldest or DropNewest");
        errors.CheckNotNull(Lanes, nameof(Lanes));
        ValidateLanes(errors);
        errors.CheckDuration(QueueTimeout, nameof(QueueTimeout), TimeSpan.Zero);
        errors.CheckDuration(RunTimeout, nameof(RunTimeout), tick);
        errors.Check(
            MaxAbandonedWorkers is null or (>= 0 and <= LargestMaxWorkers),
            nameof(MaxAbandonedWorkers),
            MaxAbandonedWorkers,
            "null, or 0 to 10,000");
        errors.CheckDuration(StuckThreshold, nameof(StuckThreshold), tick);
        errors.Check(MaxItemsPerState >= 1, nameof(MaxItemsPerState), MaxItemsPerState, "1 or more");
        errors.CheckDuration(MaxStateLifetime, nameof(MaxStateLifetime), TimeSpan.FromSeconds(1));
        errors.Check(LifetimeJitter is >= 0 and <= 1, nameof(LifetimeJitter), LifetimeJitter, "0 to 1");
        errors.Check(
            ThreadName is null || !string.IsNullOrWhiteSpace(ThreadName), nameof(ThreadName), ThreadName, "null or not blank");
        errors.Check(
            Priority is >= ThreadPriority.Lowest and <= ThreadPriority.Highest, nameof(Priority), Priority, "Lowest to Highest");
        errors.Check(MaxStackSize is 0 or >= 131_072, nameof(MaxStackSize), MaxStackSize, "0, or 131,072 or more");
        errors.Check(
            ApartmentState == ApartmentState.Unknown || (OperatingSystem.IsWindows() && Enum.IsDefined(ApartmentState)),
            nameof(ApartmentState),
            ApartmentState,
            "Unknown, and on Windows STA and MTA");
        errors.CheckDuration(StopTimeout, nameof(StopTimeout), TimeSpan.Zero);
        errors.Check(Name is null || !string.IsNullOrWhiteSpace(Name), nameof(Name), Name, "null or not blank");
        errors.CheckNotNull(TimeProvider, nameof(TimeProvider));
    }

    private void ValidateLanes(PoolOptionErrors errors)
    {
        if (Lanes is null)
        {
            return;
        }

        errors.Check(Lanes.Count <= 64, "Lanes.Count", Lanes.Count, "at most 64");
        for (var lane = 0; lane < Lanes.Count; lane++)
        {
            errors.CheckNotNull(Lanes[lane], $"Lanes[{lane}]");
            if (Lanes[lane] is { } settings)
            {
                errors.CheckRange(settings.Weight, $"Lanes[{lane}].Weight", 1, 1_000);
                errors.Check(
                    settings.Capacity is null or >= 1, $"Lanes[{lane}].Capacity", settings.Capacity, "null, or 1 or more");
            }
        }
    }
}
