namespace Poolhouse.Workers;

/// <summary>Runs tasks on the workers of a pool.</summary>
internal sealed class WorkerTaskScheduler(WorkerCore core) : TaskScheduler
{
    public override int MaximumConcurrencyLevel => core.Crew.Max;

    /// <summary>Runs the task, unless somebody has done so already.</summary>
    public void Execute(Task task) => TryExecuteTask(task);

    protected override void QueueTask(Task task)
    {
        var item = core.Trade.MakeTask(this, task);
        var options = default(WorkOptions);
        item.Prepare(Execute, core.Lane(options), options, core.NoLimits, context: null);
        core.HandInForGood(item);
    }

    /// <summary>On a worker's own thread. If the task is queued as well, it is found done when its turn comes.</summary>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        Worker.Current?.Crew == core.Crew && TryExecuteTask(task);

    protected override IEnumerable<Task> GetScheduledTasks() =>
        core.Crew.Queue.ToList().OfType<ITaskItem>().Select(static item => item.Task).ToArray();
}
