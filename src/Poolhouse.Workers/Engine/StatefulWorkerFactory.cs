using Poolhouse.Kernel.Threading;
using Poolhouse.Workers.Items;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Engine;

internal sealed class StatefulWorkerFactory<TState>(WorkerPolicy<TState> policy) : WorkerFactory
    where TState : notnull
{
    public override Worker CreateWorker(WorkerSet workerSet, int number) => new StatefulWorker<TState>(workerSet, number, policy);

    /// <summary>Runs the item with a state that is created, used and destroyed here.</summary>
    // In a context of its own, as on a worker: neither side sees the other's async locals, culture, synchronization context and
    // task scheduler.
    public override Exception? RunByCaller(WorkerCore core, WorkItem item)
    {
        var run = new CallersRun(core, policy, (StatefulItem<TState>)item);
        var settings = ThreadSettings.OfCurrentThread();
        ExecutionContext.Run(item.Context ?? Worker.CleanContext!, static run => OutsideOfTasks.Run(((CallersRun)run!).Run), run);
        settings.Restore();
        return run.Failure;
    }

    public override WorkItem CreateCallback(WorkerPoolContext context, SendOrPostCallback callback, object? state) =>
        new CallbackItem<TState>(context, callback, state);

    public override WorkItem CreateTask(WorkerTaskScheduler scheduler, Task task) => new TaskItem<TState>(scheduler, task);

    private sealed class CallersRun(WorkerCore core, WorkerPolicy<TState> policy, StatefulItem<TState> item)
    {
        private readonly WorkerCounters _counters = new();

        public Exception? Failure { get; private set; }

        public void Run()
        {
#pragma warning disable CA1031 // The exception belongs to the item.
            try
            {
                var state = Create();
                try
                {
                    item.Run(state, worker: null);
                }
                finally
                {
                    Destroy(state);
                }
            }
            catch (Exception failure)
            {
                _counters.Failed++;
                Failure = failure;
            }
#pragma warning restore CA1031

            core.Workers.Add(_counters);
        }

        private TState Create()
        {
            var started = core.Clock.Now;
            TState state;
            try
            {
                state = policy.Create(core.Closing) ?? throw WorkErrors.CreatedNull(core.Name);
            }
            catch (Exception failure)
            {
                _counters.CreateFailures++;
                core.Events.ReportStateCreateFailed(failure);
                throw;
            }

            _counters.Created++;
            var ticks = Math.Max(0, core.Clock.Now - started);
            _counters.CreateTicks += ticks;
            core.Events.ReportStateCreated(core.Clock.Span(ticks));
            return state;
        }

        private void Destroy(TState state)
        {
            // Without what the item has left on the thread, as on a worker. The caller's context is restored after this run.
            ExecutionContext.Restore(Worker.CleanContext!);
            SynchronizationContext.SetSynchronizationContext(null);
            _counters.Destroyed[(int)WorkerDestroyReason.Surplus]++;
            Exception? failure = null;
#pragma warning disable CA1031 // The item did not cause it, and its result is available.
            try
            {
                policy.Destroy(state, WorkerDestroyReason.Surplus);
            }
            catch (Exception thrown)
            {
                // As on a worker: the state counts as destroyed either way.
                _counters.DestroyFailures++;
                failure = thrown;
                CurrentThread.KeepInterrupt(thrown);
            }
#pragma warning restore CA1031

            core.Events.ReportStateDestroyed(WorkerDestroyReason.Surplus, failure);
        }
    }
}
