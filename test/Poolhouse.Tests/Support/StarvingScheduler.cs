using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Tests;

/// <summary>A thread pool all of whose threads are blocked from some time on: what is then posted to it never runs.</summary>
internal sealed class StarvingScheduler : WorkScheduler
{
    private volatile bool _isStarved;

    public bool IsStarved
    {
        get => _isStarved;
        set => _isStarved = value;
    }

    public override void Post(IThreadPoolWorkItem work)
    {
        if (!IsStarved)
        {
            ThreadPool.Post(work);
        }
    }

    public override void PostToOwnThread(IThreadPoolWorkItem work) => ThreadPool.PostToOwnThread(work);
}
