using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine;

/// <summary>
/// The parts of a resource pool behind its public type, and what runs between them: policy calls, their results, and timed work.
/// </summary>
internal sealed class ResourceRuntime<T> : IEngineHost<T>, IBudgetUser, IDisposable
    where T : notnull
{
    private readonly DeadlineTimer _timer;
    private readonly ResourceHooks _hooks;

    /// <param name="policy">The policy.</param>
    /// <param name="hooks">The hooks that the policy has.</param>
    /// <param name="options">The settings, frozen.</param>
    /// <param name="share">The share of a capacity that several pools have in common, or null.</param>
    /// <param name="name">The name of the pool.</param>
    /// <param name="reportedAs">The pool as seen by metrics and observers.</param>
    /// <param name="reporter">The recorder of durations.</param>
    /// <param name="outerQueue">The queue of a pool around this one, which refers to it while callers wait; or null.</param>
    public ResourceRuntime(
        ResourcePolicy<T> policy,
        ResourceHooks hooks,
        ResourcePoolOptions options,
        SharedCapacity<T>.Member? share,
        string name,
        IPool reportedAs,
        PoolReporter reporter,
        object? outerQueue)
    {
        Events = new PoolEvents<T>(this, reportedAs, reporter);
        _hooks = hooks;
        Name = name;
        Policy = policy;
        Checks = new PolicyChecks<T>(policy, hooks);
        Scheduler = options.Scheduler;
        Shutdown = new ResourceShutdown<T>(this, Scheduler);
        Clock = new PoolClock(options.TimeProvider);
        Deadlines = new DeadlineMonitor<T>(Clock, ScheduleAt);
        TimedWork = new TimedWork<T>(this);
        WarmUps = new WarmUps<T>(this);
        Budget = options.Budget is { } budget ? new BudgetMember(budget, this) : null;
        var settings = NewSettings(options, Budget is null ? int.MaxValue : 0);
        Core = new ResourceCore<T>(
            this, settings, CoDelController.Of(options.Overload, Clock), CellCount(options.MaxSize), share);
        Leaks = new LeakSearch<T>(this, Events);
        Returns = new ResourceReturns<T>(this);
        _timer = new DeadlineTimer(
            options.TimeProvider, Clock, TimedWork.Run,
            Deadlines.InProgress, WarmUps.Waiting, Core.Queue, outerQueue ?? Core.Queue);
        share?.Attach(Core, Clock);
    }

    /// <summary>The name of the pool in messages: that of the outer pool for the items of a shared pool.</summary>
    public string Name { get; set; }

    public ResourcePolicy<T> Policy { get; }

    public PolicyChecks<T> Checks { get; }

    /// <summary>The owner of the leases.</summary>
    public ResourceReturns<T> Returns { get; }

    public ResourceShutdown<T> Shutdown { get; }

    /// <summary>Notifies metrics and the observer.</summary>
    public PoolEvents<T> Events { get; }

    public WorkScheduler Scheduler { get; }

    public PoolClock Clock { get; }

    public DeadlineMonitor<T> Deadlines { get; }

    public TimedWork<T> TimedWork { get; }

    public ResourceCore<T> Core { get; }

    /// <summary>The uses that have lasted too long.</summary>
    public LeakSearch<T> Leaks { get; }

    /// <summary>The part of the pool in a budget, or null.</summary>
    public BudgetMember? Budget { get; }

    /// <summary>Held while the settings are read, changed and applied.</summary>
    public Lock Changing { get; } = new();

    public WarmUps<T> WarmUps { get; }

    /// <summary>Null for a pool that is reported as a part of another one, such as the pool of one key.</summary>
    public ReporterRegistration? Registration { get; set; }

    public ResourceSettings Settings => Core.Settings;

    public void Start()
    {
        if (Budget is { } budget)
        {
            budget.Join();
            ScheduleAt(Clock.Now + Settings.ReportInterval);
        }

        ScheduleAt(PoolClock.Add(Clock.Now, Settings.LeakThreshold));
        Core.Plan(Clock.Now);
    }

    /// <summary>Applies other settings, which were read and changed while <see cref="Changing"/> is held.</summary>
    public void Reconfigure(ResourcePoolOptions options)
    {
        Apply(options);
        WarmUps.Progress();
    }

    public BudgetDemand ReadDemand() => Core.Readings.GetDemand();

    // Settings that are being changed by a user are not lost: both changes read the newest ones under the lock.
    public void ApplyBudget()
    {
        lock (Changing)
        {
            Apply(Settings.Options);
        }

        WarmUps.Progress();
    }

    public void Dispose()
    {
        _timer.Dispose();
        if (Budget is { } budget)
        {
            // Not here: the pool may be closed while its settings are being changed, and leaving changes those of other pools.
            Scheduler.Post(budget);
        }
    }

    public ResourcePoolStatistics GetStatistics() => Core.Readings.GetStatistics(
        Clock.Now, Clock, Events.DoubleReturns, Events.DestroyFailures, Events.Abandoned, Leaks.Count);

    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) =>
        LeaseReader.Read(Core.Readings.ListEntries(), max, Clock);

    // Operations for the core

    public void BeginCreate(bool synchronously) => new CreateCall<T>(this, synchronously).Queue(onOwnThread: synchronously);

    public void BeginCheck(ResourceEntry<T> entry, bool keepAlive) =>
        Prepare(entry, keepAlive ? EntryState.KeepingAlive : EntryState.Validating, tainted: false).Queue();

    public void BeginDestroy(ResourceEntry<T> entry, DestroyReason reason) =>
        new DestroyCall<T>(this, entry.Item, entry.Number, entry, reason).Queue();

    public bool IsBrokenByParent(ResourceEntry<T> entry) => Checks.IsBrokenByParent(entry);

    public void ScheduleAt(long time) => _timer.ScheduleAt(time);

    public void Closing() => Shutdown.OnChanged();

    // For rents and returns

    /// <summary>Prepares the call of a hook for an item; an entry has one at a time.</summary>
    public ItemCall<T> Prepare(ResourceEntry<T> entry, EntryState activity, bool tainted)
    {
        var call = entry.Work ??= new ItemCall<T>(this, entry);
        call.Prepare(activity, tainted);
        return call;
    }

    // As many cells as processors or items, whichever is less, rounded up to a power of two: in a pool of one item, every
    // thread finds it in the only cell.
    public static int CellCount(int maxSize) => (int)System.Numerics.BitOperations.RoundUpToPowerOf2(
        (uint)Math.Clamp(Math.Min(Environment.ProcessorCount, maxSize), 1, 64));

    private ResourceSettings NewSettings(ResourcePoolOptions options, int allowed) => new(options, Clock, _hooks, allowed);

    private void Apply(ResourcePoolOptions options)
    {
        var allowed = Budget?.BeginToApply() ?? int.MaxValue;
        Core.Operators.Reconfigure(NewSettings(options, allowed), CoDelController.Of(options.Overload, Clock), Clock.Now);
        Budget?.Applied(allowed);
    }
}
