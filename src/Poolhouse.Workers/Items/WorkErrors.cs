using System.Globalization;
using Poolhouse.Workers.Engine;
using Poolhouse.Workers.Queueing;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>The exceptions of failed work items; the messages name the limit, the counts and the setting to change.</summary>
internal static class WorkErrors
{
    public static ObjectDisposedException Closed(string pool) => new(
        pool, $"Worker pool '{pool}' was disposed or is being drained: it accepts no new work. Running items continue.");

    public static ObjectDisposedException NeverStarted(string pool) => new(
        pool,
        $"Worker pool '{pool}' was disposed before this item started. To run all queued items, drain the pool before disposing " +
        "it.");

    /// <summary>The exception of items whose outcome is not reported to any caller.</summary>
    public static Exception Unreported { get; } = new OperationCanceledException();

    public static WorkTimeoutException QueuedTooLong(WorkerCore core, TimeSpan waited, ErrorFigures report)
    {
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Worker pool '{core.Name}': the item did not start within {Seconds(waited)} ({report.Counts}). " +
            $"Items are submitted faster than they complete. Raise MaxWorkers, submit fewer items, or raise QueueTimeout.");
        return new WorkTimeoutException(message, WorkPhase.Queue, waited, report.Statistics, core.Name);
    }

    public static WorkTimeoutException CreatedTooLong(WorkerCore core, TimeSpan waited)
    {
        var report = new ErrorFigures(core);
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Worker pool '{core.Name}': the item did not start, because its state was not created within {Seconds(waited)} " +
            $"({report.Counts}). Its worker was abandoned. Find out why the policy's Create hangs, create states in advance " +
            $"with WarmUpAsync, or raise RunTimeout.");
        return new WorkTimeoutException(message, WorkPhase.Create, waited, report.Statistics, core.Name);
    }

    public static WorkTimeoutException CreatedTooLongAhead(WorkerCore core, TimeSpan waited)
    {
        var report = new ErrorFigures(core);
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Worker pool '{core.Name}': a state was not created ahead of demand within {Seconds(waited)} ({report.Counts}). Its " +
            $"worker was abandoned. Find out why the policy's Create hangs, or raise RunTimeout.");
        return new WorkTimeoutException(message, WorkPhase.Create, waited, report.Statistics, core.Name);
    }

    public static WorkTimeoutException RanTooLong(WorkerCore core, TimeSpan ranFor)
    {
        var report = new ErrorFigures(core);
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Worker pool '{core.Name}': the item did not complete within {Seconds(ranFor)} and was abandoned " +
            $"({report.Counts}). It continues on a thread that the pool no longer uses. Find out why it hangs, or raise " +
            $"RunTimeout.");
        return new WorkTimeoutException(message, WorkPhase.Run, ranFor, report.Statistics, core.Name);
    }

    public static PoolOverloadedException Rejected(WorkerCore core, LaneQueue lane)
    {
        var report = new ErrorFigures(core);
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Worker pool '{core.Name}': rejected at once, because QueueCapacity ({lane.Capacity}) of the lane is reached " +
            $"({report.Counts}). Submit fewer items at once, raise MaxWorkers or QueueCapacity, or set QueueFull to Wait.");
        return new PoolOverloadedException(message, core.Name, TimeSpan.Zero, report.Statistics);
    }

    public static PoolOverloadedException Dropped(WorkerCore core, TimeSpan waited, ErrorFigures report)
    {
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Worker pool '{core.Name}': dropped after {Seconds(waited)} by QueueFull ({core.Options.QueueFull}), because the " +
            $"queue of the lane is full ({report.Counts}). Submit fewer items at once, or raise MaxWorkers or QueueCapacity.");
        return new PoolOverloadedException(message, core.Name, waited, report.Statistics);
    }

    public static InvalidOperationException BlocksOnOwnPool(string pool) => new(
        $"A thread of worker pool '{pool}' would block until an item of the same pool has run. If all its threads did so, no " +
        "item could run. Await the item in asynchronous work, or call the code directly, because it already runs on a worker.");

    public static InvalidOperationException AwaitsOwnWorker(string pool, string method) => new(
        $"{method} of worker pool '{pool}' would never complete: it waits for the worker of the asynchronous item that calls " +
        "it. Call it outside the pool's items, or start it with Task.Run and do not await that task in the item.");

    public static InvalidOperationException NotOnWorker(string pool) => new(
        $"This is not a thread of worker pool '{pool}', so there is no current state. Run the code with RunAsync.");

    public static InvalidOperationException CreatedNull(string pool) => new(
        $"The policy of worker pool '{pool}' returned null instead of a state.");

    public static string Seconds(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.###} s");
}
