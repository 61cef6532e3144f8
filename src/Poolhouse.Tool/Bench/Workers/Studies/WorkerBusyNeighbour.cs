using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Workers.Studies;

/// <summary>A neighbour that computes.</summary>
internal sealed class WorkerBusyNeighbour : NeighbourScenario
{
    private const int ItemsPerCore = 4;

    public override string Id => "workers-neighbour-busy";

    public override string Title => "Beside a neighbour that computes";

    public override string Question => "How long do items wait while other code keeps the thread pool computing?";

    public override string Method =>
        Arriving +
            "In the middle a neighbour keeps 4 items for each core queued or running on the thread pool; each computes "
            + $"for 10 ms and queues again. The machine has {Units.Count(Cores)} cores, and the neighbour's threads compete "
            + "for them with all others: a worker that wakes waits for the scheduler of the system, an item of the thread "
            + "pool also for the items queued before it.";

    protected override string NeighbourName => "neighbour computes";

    protected override Neighbour Invite(ScenarioPace pace)
    {
        var turns = CpuWork.TurnsIn(pace.Milliseconds(10));
        return new Neighbour(ItemsPerCore * Cores, () => CpuWork.Do(turns));
    }
}
