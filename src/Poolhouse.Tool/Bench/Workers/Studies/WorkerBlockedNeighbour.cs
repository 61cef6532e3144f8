using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Workers.Studies;

/// <summary>A neighbour that blocks threads.</summary>
internal sealed class WorkerBlockedNeighbour : NeighbourScenario
{
    private const int ItemsPerCore = 32;

    public override string Id => "workers-neighbour-blocked";

    public override string Title => "Beside a neighbour that blocks threads";

    public override string Question => "How long do items wait while other code blocks threads of the thread pool?";

    public override string Method =>
        Arriving +
            "In the middle a neighbour keeps 32 items for each core queued or running on the thread pool; each blocks its "
            + "thread for 100 ms, as a call without an asynchronous method does, and queues again. Blocked threads need no "
            + "core, so items wait only for the queue, and the threads that the thread pool adds a few a second.";

    protected override string NeighbourName => "neighbour blocks";

    protected override Neighbour Invite(ScenarioPace pace)
    {
        var time = pace.Milliseconds(100);
        return new Neighbour(ItemsPerCore * Cores, () => BlockingDelay.Wait(time));
    }
}
