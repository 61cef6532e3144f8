using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Engine;

/// <summary>Drains a pool, and closes it if that takes too long.</summary>
internal static class TimedShutdown
{
    /// <returns>The items that were not completed in time.</returns>
    public static async Task<WorkerShutdown> RunAsync(WorkerCore core, TimeSpan timeout)
    {
        var droppedBefore = core.Drops.Queued;
        core.Workers.Termination.Drain();
        try
        {
            await core.Workers.Termination.WhenEnded.WaitAsync(timeout, core.Options.TimeProvider).ConfigureAwait(false);

            // Another thread may have disposed the pool meanwhile.
            return new WorkerShutdown(Dropped(), []);
        }
        catch (TimeoutException)
        {
            var workers = core.Workers.ToList();
            core.Close();
            var now = core.Clock.Now;
            return new WorkerShutdown(
                Dropped(), [.. workers.Select(worker => worker.Watch.Report(now)).OfType<WorkAbandonedArgs>()]);
        }

        int Dropped() => (int)(core.Drops.Queued - droppedBefore);
    }
}
