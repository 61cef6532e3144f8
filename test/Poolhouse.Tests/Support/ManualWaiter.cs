using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Tests;

/// <summary>A queued caller whose steps the test controls: decided, but not yet withdrawn.</summary>
internal sealed class ManualWaiter : Waiter<ResourceEntry<Part>>
{
    public ManualWaiter() => Deadline = PoolClock.Never;

    public override bool IsSynchronous => false;

    public int WakeUps { get; private set; }

    public override void Wake() => WakeUps++;
}
