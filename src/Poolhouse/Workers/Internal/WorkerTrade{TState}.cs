using Poolhouse.Resources;

namespace Poolhouse.Workers;

internal sealed class WorkerTrade<TState>(WorkerPolicy<TState> policy) : WorkerTrade
    where TState : notnull
{
    public override Worker Hire(WorkerCrew crew, int number) => new Worker<TState>(crew, number, policy);

    /// <summary>Runs the item with a state that is made, used and destroyed here.</summary>
    public override Exception? RunByCaller(WorkerCore core, WorkItem item)
    {
#pragma warning disable CA1031 // It is the item's.
        try
        {
            var state = policy.Create(core.Closing);
            try
            {
                ((WorkItem<TState>)item).Run(state, worker: null);
            }
            finally
            {
                policy.Destroy(state, DestroyReason.Surplus);
            }

            return null;
        }
        catch (Exception failure)
        {
            return failure;
        }
#pragma warning restore CA1031
    }

    public override WorkItem MakeCallback(WorkerPoolContext context, SendOrPostCallback callback, object? state) =>
        new CallbackItem<TState>(context, callback, state);

    public override WorkItem MakeTask(WorkerTaskScheduler scheduler, Task task) => new TaskItem<TState>(scheduler, task);
}
