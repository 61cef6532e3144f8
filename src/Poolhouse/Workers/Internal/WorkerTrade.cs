namespace Poolhouse.Workers;

/// <summary>What the pool does that depends on the type of the state.</summary>
internal abstract class WorkerTrade
{
    public abstract Worker Hire(WorkerCrew crew, int number);

    /// <returns>What the item threw.</returns>
    public abstract Exception? RunByCaller(WorkerCore core, WorkItem item);

    public abstract WorkItem MakeCallback(WorkerPoolContext context, SendOrPostCallback callback, object? state);

    public abstract WorkItem MakeTask(WorkerTaskScheduler scheduler, Task task);
}
