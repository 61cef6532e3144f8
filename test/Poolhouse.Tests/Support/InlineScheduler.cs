using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Tests;

/// <summary>Runs work where it is posted: if the pool posts it under a lock, the work can tell.</summary>
internal sealed class InlineScheduler : WorkScheduler
{
    public override void Post(IThreadPoolWorkItem work) => work.Execute();

    public override void PostToOwnThread(IThreadPoolWorkItem work) => work.Execute();
}
