using Poolhouse.Resources.Engine.Creating;
using Poolhouse.Resources.Engine.Maintenance;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine.Core;

/// <summary>The parts of a core, all of them under its gate.</summary>
// A value inside the core: an unused pool takes little memory.
internal readonly struct CoreParts<T>
    where T : notnull
{
    public CoreParts(CoreState<T> state)
    {
        Minimum = new IdleMinimum<T>(state);
        Checks = new SlowChecks<T>(state);
        Planner = new CreationPlanner<T>(state, Minimum, Checks);
        Callers = new WaitingCallers<T>(state, Planner, Checks);
        Destruction = new IdleDestruction<T>(state);
        KeepAlives = new KeepAlives<T>(state);
        Sweeper = new Sweeper<T>(state, Destruction, KeepAlives, Minimum);
        Clearing = new Clearing<T>(state, Destruction);
    }

    public IdleMinimum<T> Minimum { get; }

    public SlowChecks<T> Checks { get; }

    public CreationPlanner<T> Planner { get; }

    public WaitingCallers<T> Callers { get; }

    public IdleDestruction<T> Destruction { get; }

    public KeepAlives<T> KeepAlives { get; }

    public Sweeper<T> Sweeper { get; }

    public Clearing<T> Clearing { get; }
}
