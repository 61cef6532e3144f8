using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Tests;

/// <summary>Runs work where it is posted, so that work posted under a lock can detect it.</summary>
internal sealed class InlineScheduler : WorkScheduler
{
    public override void Post(IThreadPoolWorkItem work) => work.Execute();

    public override void PostToOwnThread(IThreadPoolWorkItem work) => work.Execute();
}
