using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Tests;

/// <summary>A thread pool all of whose threads are blocked: what is posted to it never runs.</summary>
internal sealed class StarvedScheduler : WorkScheduler
{
    public override void Post(IThreadPoolWorkItem work)
    {
    }

    public override void PostToOwnThread(IThreadPoolWorkItem work) => ThreadPool.PostToOwnThread(work);
}
