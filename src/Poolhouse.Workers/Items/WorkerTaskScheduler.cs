using Poolhouse.Workers.Engine;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>Runs tasks on the workers of a pool.</summary>
internal sealed class WorkerTaskScheduler(WorkerCore core) : TaskScheduler
{
    // The name of tasks in reports, because their delegates are hidden.
    private const string Label = "scheduled task";

    public override int MaximumConcurrencyLevel => core.Workers.Max;

    /// <summary>Runs the task unless it has already run. A failure is counted like that of any other work.</summary>
    public bool Execute(Task task, Worker? worker)
    {
        if (worker is null)
        {
            return !task.IsCompleted && TryExecuteTask(task);
        }

        // The task may run inside another one, whose use of the state is not forgotten.
        var usedBefore = worker.UsesState;
        worker.UsesState = false;
        try
        {
            if (task.IsCompleted || !TryExecuteTask(task))
            {
                return false;
            }

            // A cancelled task may never have started; it can have damaged the state only if it used it.
            if (task.IsFaulted || (task.IsCanceled && worker.UsesState))
            {
                var isReported = worker.HasState || core.Options.Observer is not null;
                worker.Note(Label, isReported ? FailureOf(task) : WorkErrors.Unreported);
            }

            return true;
        }
        finally
        {
            worker.UsesState |= usedBefore;
        }
    }

    protected override void QueueTask(Task task)
    {
        var item = core.Factory.CreateTask(this, task);
        var options = new WorkOptions { Label = Label };
        item.Prepare(Execute, core.Lane(options), options, core.NoLimits, context: null);
        core.EnqueueAccepted(item);
    }

    /// <summary>
    /// Runs a task on a worker's own thread. If the task is queued as well, it is already completed when its turn comes.
    /// </summary>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        Worker.Current is { } worker && worker.Workers == core.Workers && Execute(task, worker);

    // Reading it marks it as observed: it is reported to the observer and the policy.
    private static Exception FailureOf(Task task) => task.Exception?.InnerExceptions[0] ?? new TaskCanceledException(task);

    protected override IEnumerable<Task> GetScheduledTasks() =>
        core.Workers.Queue.ToList().Select(static item => item.ScheduledTask).OfType<Task>().ToArray();
}
