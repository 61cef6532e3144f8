using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Tests;

/// <summary>
/// The thread pool. If a test sets it so, there is no memory for an object with a task: a probe, or the growth of a shared pool.
/// </summary>
internal sealed class ScarceScheduler : WorkScheduler
{
    private volatile bool _lacksMemory;
    private volatile bool _queuesNothing;

    public bool LacksMemory
    {
        get => _lacksMemory;
        set => _lacksMemory = value;
    }

    public override TaskCreationOptions Completion =>
        LacksMemory ? throw new InsufficientMemoryException("There is no memory for another object.") : base.Completion;

    /// <summary>Whether there is no memory for the queue either.</summary>
    public bool QueuesNothing
    {
        get => _queuesNothing;
        set => _queuesNothing = value;
    }

    public override void Post(IThreadPoolWorkItem work)
    {
        if (QueuesNothing)
        {
            throw new InsufficientMemoryException("There is no memory for the queue.");
        }

        ThreadPool.Post(work);
    }

    public override void PostToOwnThread(IThreadPoolWorkItem work) => ThreadPool.PostToOwnThread(work);
}
