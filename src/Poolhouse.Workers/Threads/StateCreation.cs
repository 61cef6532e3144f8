using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Engine;
using Poolhouse.Workers.Items;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Workers.Threads;

/// <summary>
/// The creation of a state ahead of demand, as an item: never queued, but subject to the pool's limits while the policy runs.
/// </summary>
internal sealed class StateCreation : WorkItem
{
    private readonly StateCommand _command;

    public StateCreation(StateCommand command, WorkerCore core)
    {
        _command = command;
        Prepare(
            command.Run,
            core.FirstLane,
            new WorkOptions { Label = "creation of a state ahead of demand" },
            new ItemLimits(core.Clock.Coarse, PoolClock.Never, core.Settings.RunTicks),
            context: null);
    }

    public override void Finish()
    {
    }

    public override bool Fail(Exception failure)
    {
        _command.Skip(failure);
        return false;
    }
}
