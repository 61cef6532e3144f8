using Poolhouse.Workers.Items;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Engine;

/// <summary>The operations of a worker pool that depend on the type of the state.</summary>
internal abstract class WorkerFactory
{
    public abstract Worker CreateWorker(WorkerSet workerSet, int number);

    /// <returns>The exception that the item threw, or null.</returns>
    public abstract Exception? RunByCaller(WorkerCore core, WorkItem item);

    public abstract WorkItem CreateCallback(WorkerPoolContext context, SendOrPostCallback callback, object? state);

    public abstract WorkItem CreateTask(WorkerTaskScheduler scheduler, Task task);
}
