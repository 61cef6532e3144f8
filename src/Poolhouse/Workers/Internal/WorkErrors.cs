using System.Globalization;
using Poolhouse.Resources;

namespace Poolhouse.Workers;

/// <summary>Why an item of work came to nothing, in words that name the limit, the counts and the setting to change.</summary>
internal static class WorkErrors
{
    public static ObjectDisposedException Closed(string pool) => new(
        pool, $"Worker pool '{pool}' was disposed or is being drained: it takes no new work. What was running goes on.");

    public static ObjectDisposedException NeverBegun(string pool) => new(
        pool, $"Worker pool '{pool}' was disposed before this item began. Drain the pool to have everything done that was handed in.");

    public static PoolTimeoutException QueuedTooLong(WorkerCore core, TimeSpan waited)
    {
        var statistics = core.GetStatistics();
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Worker pool '{core.Name}': the item did not begin within {Seconds(waited)} ({Counts(statistics)}). " +
            $"Work takes longer than it arrives. Raise MaxWorkers, send less, or raise QueueTimeout.");
        return new PoolTimeoutException(message, RentPhase.Queue, waited, statistics, core.Name, inner: null);
    }

    public static PoolTimeoutException RanTooLong(WorkerCore core, TimeSpan ranFor)
    {
        var statistics = core.GetStatistics();
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Worker pool '{core.Name}': the item did not end within {Seconds(ranFor)} and was given up ({Counts(statistics)}). " +
            $"It goes on running on a thread that the pool no longer uses. See why it hangs, or raise RunTimeout.");
        return new PoolTimeoutException(message, RentPhase.Run, ranFor, statistics, core.Name, inner: null);
    }

    public static PoolOverloadedException Rejected(WorkerCore core, WorkLaneQueue lane)
    {
        var statistics = core.GetStatistics();
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Worker pool '{core.Name}': refused at once, because QueueCapacity ({lane.Capacity}) of the lane is reached ({Counts(statistics)}). " +
            $"Send less at once, raise MaxWorkers or QueueCapacity, or set QueueFull to Wait.");
        return new PoolOverloadedException(message, core.Name, TimeSpan.Zero, statistics);
    }

    public static PoolOverloadedException Dropped(WorkerCore core, TimeSpan waited)
    {
        var statistics = core.GetStatistics();
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Worker pool '{core.Name}': dropped after {Seconds(waited)} by QueueFull ({core.Options.QueueFull}), because the queue of the lane is full " +
            $"({Counts(statistics)}). Send less at once, or raise MaxWorkers or QueueCapacity.");
        return new PoolOverloadedException(message, core.Name, waited, statistics);
    }

    public static InvalidOperationException BlocksOnOwnPool(string pool) => new(
        $"A thread of worker pool '{pool}' would block until an item of the same pool has run. Once all its threads do so, none is left to " +
        "run anything. Await the item in asynchronous work, or call the code directly: it is on a worker already.");

    public static InvalidOperationException NotOnWorker(string pool) => new(
        $"This is not a thread of worker pool '{pool}', so there is no current state. Hand the code in with RunAsync.");

    private static string Counts(WorkerPoolStatistics now) => string.Create(
        CultureInfo.InvariantCulture,
        $"MaxWorkers {now.MaxSize}: {now.Live} alive, {now.Leased} busy; {now.Waiting} waiting; {now.AbandonedWorkers} given up; longest run {Seconds(now.OldestLease)}");

    private static string Seconds(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.###} s");
}
