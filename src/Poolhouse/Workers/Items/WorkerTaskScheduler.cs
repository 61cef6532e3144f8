using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>Runs tasks on the workers of a pool.</summary>
internal sealed class WorkerTaskScheduler(WorkerCore core) : TaskScheduler
{
    // What reports call the tasks, whose delegates are hidden.
    private const string Label = "scheduled task";

    public override int MaximumConcurrencyLevel => core.Workers.Max;

    /// <summary>Runs the task, unless somebody has done so already. If it fails, that counts as with any other work.</summary>
    public bool Execute(Task task, Worker? worker)
    {
        if (worker is not null)
        {
            worker.UsesState = false;
        }

        if (task.IsCompleted || !TryExecuteTask(task))
        {
            return false;
        }

        // One that was cancelled may have never begun; whether it did harm to the state is known by its use of it.
        if (worker is not null && (task.IsFaulted || (task.IsCanceled && worker.UsesState)))
        {
            worker.Note(Label, worker.HasState || core.Options.Observer is not null ? FailureOf(task) : WorkErrors.Unheard);
        }

        return true;
    }

    protected override void QueueTask(Task task)
    {
        var item = core.Factory.CreateTask(this, task);
        var options = new WorkOptions { Label = Label };
        item.Prepare(Execute, core.Lane(options), options, core.NoLimits, context: null);
        core.EnqueueAccepted(item);
    }

    /// <summary>On a worker's own thread. If the task is queued as well, it is found done when its turn comes.</summary>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        Worker.Current is { } worker && worker.Workers == core.Workers && Execute(task, worker);

    // Reading it marks it as observed: the observer and the policy are told of it.
    private static Exception FailureOf(Task task) => task.Exception?.InnerExceptions[0] ?? new TaskCanceledException(task);

    protected override IEnumerable<Task> GetScheduledTasks() =>
        core.Workers.Queue.ToList().OfType<ITaskItem>().Select(static item => item.Task).ToArray();
}
