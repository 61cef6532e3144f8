using Poolhouse.Explorer.Scheduling;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Runs the pool's work as actors; during the setup, work runs at once.</summary>
internal sealed class ExplorerScheduler(ScenarioRun run) : WorkScheduler
{
    public bool IsSettingUp { get; set; } = true;

    // Continuations run on the actor that completes the task: a thread of the thread pool would not be scheduled.
    public override TaskCreationOptions Completion => TaskCreationOptions.None;

    /// <summary>How much work cannot be queued for lack of memory, from now on.</summary>
    public int MissingMemory { get; set; }

    public override void Post(IThreadPoolWorkItem work)
    {
        if (MissingMemory > 0)
        {
            MissingMemory--;
            throw new InsufficientMemoryException("There is no memory.");
        }

        if (IsSettingUp)
        {
            work.Execute();
        }
        else
        {
            run.Actor(work.GetType().Name.Split('`')[0], work.Execute);
        }
    }

    /// <summary>How many threads cannot be started from now on.</summary>
    public int MissingThreads { get; set; }

    public override void PostToOwnThread(IThreadPoolWorkItem work)
    {
        if (MissingThreads > 0)
        {
            MissingThreads--;
            throw new InsufficientMemoryException("There is no thread.");
        }

        Post(work);
    }
}
