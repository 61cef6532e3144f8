using Poolhouse.Explorer.Scheduling;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.Waiting;
using Poolhouse.Resources.Shared;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>A caller that waits for room in a shared item.</summary>
internal sealed class RoomCaller : Waiter<SharedItem<Part>>
{
    public RoomCaller() => Deadline = PoolClock.Never;

    public override bool IsSynchronous => false;

    public int Wakes { get; private set; }

    public override void Wake()
    {
        Actor.Step("wake", "caller");
        Wakes++;
    }
}
