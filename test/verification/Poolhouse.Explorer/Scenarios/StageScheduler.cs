using Poolhouse.Explorer.Scheduling;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>The pool's own work comes on as actors; while the scene is set, it runs at once.</summary>
internal sealed class StageScheduler(Play play) : WorkScheduler
{
    public bool SetsTheScene { get; set; } = true;

    // Continuations run on the actor that completes the task: a thread of the thread pool would not be part of the play.
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

        if (SetsTheScene)
        {
            work.Execute();
        }
        else
        {
            play.Actor(work.GetType().Name.Split('`')[0], work.Execute);
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
