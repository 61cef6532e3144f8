using System.Diagnostics.Metrics;
using Poolhouse.Kernel;

namespace Poolhouse;

/// <summary>The settings of a worker pool. Only <see cref="MaxWorkers"/> has no default.</summary>
/// <remarks>A pool copies its options; changing them later has no effect on it. Not thread safe.</remarks>
public sealed class WorkerPoolOptions
{
    /// <summary>The largest <see cref="MaxWorkers"/>.</summary>
    public const int LargestMaxWorkers = 10_000;

    /// <summary>How many threads may be at work at once. Threads are started as items find all of them busy.</summary>
    /// <value>Required; 1 to 10,000.</value>
    public required int MaxWorkers { get; set; }

    /// <summary>How many threads are started at once, with their states, and never end for lack of work.</summary>
    /// <value>0 by default; 0 to <see cref="MaxWorkers"/>.</value>
    /// <remarks>
    /// One that was given up is replaced at once, also without new work; one that could not be started is tried again every
    /// second. A state that could not be made is not: the next item on its thread tries that again.
    /// </remarks>
    public int MinWorkers { get; set; }

    /// <summary>How long a thread beyond <see cref="MinWorkers"/> may be without work before it ends.</summary>
    /// <value>
    /// 20 seconds by default, as in .NET's own thread pool; at least 1 millisecond, or <see cref="Timeout.InfiniteTimeSpan"/> for
    /// no limit.
    /// </value>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(20);

    /// <summary>How many items may wait in a lane.</summary>
    /// <value>No bound (<see cref="int.MaxValue"/>) by default; 1 or more.</value>
    public int QueueCapacity { get; set; } = int.MaxValue;

    /// <summary>What becomes of an item for which there is no room.</summary>
    /// <value><see cref="QueueFullMode.Wait"/> by default.</value>
    public QueueFullMode QueueFull { get; set; } = QueueFullMode.Wait;

    /// <summary>The lanes of the queue, by index.</summary>
    /// <value>Empty by default: one lane of weight 1. At most 64; none null.</value>
    public IList<WorkLane> Lanes { get; init; } = [];

    /// <summary>
    /// How long an item may wait before it begins. Later it is dropped: its caller gets a <see cref="PoolTimeoutException"/>.
    /// </summary>
    /// <value>
    /// <see cref="Timeout.InfiniteTimeSpan"/> (off) by default; otherwise zero or more. With zero no item ever begins.
    /// </value>
    public TimeSpan QueueTimeout { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How long an item may run. Later its caller gets a <see cref="PoolTimeoutException"/>, and its thread is given up: another
    /// one takes its place, and it ends when the item does.
    /// </summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (off) by default; otherwise at least 1 millisecond.</value>
    /// <remarks>
    /// For calls that may hang and cannot be cancelled. Nothing can stop such a call; the pool only goes on without it. The creation of
    /// a state for the item does not count as its run; it has the same limit for itself.
    /// </remarks>
    public TimeSpan RunTimeout { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How many threads that were given up may be replaced before they have ended. Those beyond keep their place.
    /// </summary>
    /// <value>
    /// <c>null</c> by default: as many as <see cref="MaxWorkers"/>, so there are never more than twice as many threads. Otherwise
    /// 0 to 10,000.
    /// </value>
    public int? MaxAbandonedWorkers { get; set; }

    /// <summary>After how much time an item that runs is reported as stuck, once.</summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (off) by default; otherwise at least 1 millisecond.</value>
    public TimeSpan StuckThreshold { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>After how many items a state is destroyed and made anew.</summary>
    /// <value>Never (<see cref="int.MaxValue"/>) by default; 1 or more.</value>
    public int MaxItemsPerState { get; set; } = int.MaxValue;

    /// <summary>How old a state may become. It is destroyed between two items, or when its thread has nothing to do.</summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (no limit) by default; otherwise at least 1 second.</value>
    public TimeSpan MaxStateLifetime { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>How much of <see cref="MaxStateLifetime"/> is random, so that states made together do not end together.</summary>
    /// <value>0.1 by default: each lives 90 to 100 % of it; 0 to 1.</value>
    public double LifetimeJitter { get; set; } = 0.1;

    /// <summary>
    /// Whether items run in the <see cref="ExecutionContext"/> of who handed them in: async locals, activities, cultures.
    /// </summary>
    /// <value>False by default: nothing of a caller hangs on the pool's threads, and nothing has to be captured.</value>
    public bool FlowExecutionContext { get; set; }

    /// <summary>The name of the threads; a number is added.</summary>
    /// <value><c>null</c> by default: the name of the pool. Otherwise not blank.</value>
    public string? ThreadName { get; set; }

    /// <summary>The priority of the threads.</summary>
    /// <value><see cref="ThreadPriority.Normal"/> by default. Some systems, among them Linux, ignore it.</value>
    public ThreadPriority Priority { get; set; } = ThreadPriority.Normal;

    /// <summary>The stack of each thread, in bytes.</summary>
    /// <value>0 (the system's default) by default; otherwise 131,072 or more.</value>
    public int MaxStackSize { get; set; }

    /// <summary>Whether the process may end while the threads run.</summary>
    /// <value>True by default.</value>
    public bool IsBackground { get; set; } = true;

    /// <summary>The COM apartment of the threads.</summary>
    /// <value><see cref="ApartmentState.Unknown"/> (the system's default) by default. The others are for Windows only.</value>
    public ApartmentState ApartmentState { get; set; } = ApartmentState.Unknown;

    /// <summary>How long <see cref="WorkerPool{TState}.DisposeAsync"/> waits for the items that are running.</summary>
    /// <value>5 seconds by default; zero or more, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    public TimeSpan StopTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Hears what happens in the pool.</summary>
    /// <value><c>null</c> by default.</value>
    public WorkerPoolObserver? Observer { get; set; }

    /// <summary>The name of the pool in metrics and messages.</summary>
    /// <value><c>null</c> by default: the type of the state and a number. Otherwise not blank. Put no secret in it.</value>
    public string? Name { get; set; }

    /// <summary>The clock of the pool.</summary>
    /// <value><see cref="TimeProvider.System"/> by default; not null.</value>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>The meter that gets the pool's instruments.</summary>
    /// <value><c>null</c> by default: the meter of <see cref="MeterFactory"/>, else the process-wide meter "Poolhouse".</value>
    public Meter? Meter { get; set; }

    /// <summary>The factory that is asked for a meter named "Poolhouse" when <see cref="Meter"/> is null.</summary>
    /// <value><c>null</c> by default.</value>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>Where lifetimes get their randomness.</summary>
    internal Random Random { get; set; } = Random.Shared;

    /// <summary>Starts a thread with its argument: for tests, in which the system has none left.</summary>
    internal Action<Thread, object> StartThread { get; set; } = static (thread, worker) => thread.UnsafeStart(worker);

    /// <summary>A copy that the caller can no longer change, or one exception that names every invalid setting.</summary>
    internal WorkerPoolOptions Freeze()
    {
        var errors = new SettingErrors();
        Validate(errors);
        errors.ThrowIfAny(this);
        return new WorkerPoolOptions
        {
            MaxWorkers = MaxWorkers,
            MinWorkers = MinWorkers,
            IdleTimeout = IdleTimeout,
            QueueCapacity = QueueCapacity,
            QueueFull = QueueFull,
            Lanes = Lanes.Count == 0 ? [new WorkLane()] : [.. Lanes],
            QueueTimeout = QueueTimeout,
            RunTimeout = RunTimeout,
            MaxAbandonedWorkers = MaxAbandonedWorkers,
            StuckThreshold = StuckThreshold,
            MaxItemsPerState = MaxItemsPerState,
            MaxStateLifetime = MaxStateLifetime,
            LifetimeJitter = LifetimeJitter,
            FlowExecutionContext = FlowExecutionContext,
            ThreadName = ThreadName,
            Priority = Priority,
            MaxStackSize = MaxStackSize,
            IsBackground = IsBackground,
            ApartmentState = ApartmentState,
            StopTimeout = StopTimeout,
            Observer = Observer,
            Name = Name,
            TimeProvider = TimeProvider,
            Meter = Meter,
            MeterFactory = MeterFactory,
            Random = Random,
            StartThread = StartThread,
        };
    }

    private void Validate(SettingErrors errors)
    {
        var tick = TimeSpan.FromMilliseconds(1);
        errors.CheckRange(MaxWorkers, nameof(MaxWorkers), 1, LargestMaxWorkers);
        errors.Check(MinWorkers >= 0 && MinWorkers <= MaxWorkers, nameof(MinWorkers), MinWorkers, $"0 to MaxWorkers ({MaxWorkers})");
        errors.CheckDuration(IdleTimeout, nameof(IdleTimeout), tick);
        errors.Check(QueueCapacity >= 1, nameof(QueueCapacity), QueueCapacity, "1 or more");
        errors.Check(
            Enum.IsDefined(QueueFull), nameof(QueueFull), QueueFull, "Wait, Reject, CallerRuns, DropOldest or DropNewest");
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
        errors.Check(Enum.IsDefined(Priority), nameof(Priority), Priority, "Lowest to Highest");
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

    private void ValidateLanes(SettingErrors errors)
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
                errors.Check(settings.Capacity is null or >= 1, $"Lanes[{lane}].Capacity", settings.Capacity, "null, or 1 or more");
            }
        }
    }
}
