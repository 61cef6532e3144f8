using Poolhouse.Kernel.Threading;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>A task of the pool's scheduler.</summary>
internal sealed class TaskItem<TState>(WorkerTaskScheduler scheduler, Task task) : StatefulItem<TState>
    where TState : notnull
{
    public override object? ScheduledTask => task;

    public override bool NeedsState => false;

    public override bool CanBeDropped => false;

    public override bool IsAwaited => false;

    public override void Run(TState state, Worker? worker) => scheduler.Execute(task, worker);

    public override void Finish()
    {
        // The task itself reports the outcome.
    }

    /// <summary>The pool was closed before the task started: code that awaits the task must not hang.</summary>
    public override bool Fail(Exception failure)
    {
        Interrupts.Defer(
            (scheduler, task),
            static item => ThreadPool.UnsafeQueueUserWorkItem(
                static item => item.scheduler.Execute(item.task, worker: null), item, preferLocal: false));
        return true;
    }
}
