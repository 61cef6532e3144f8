using System.Runtime.CompilerServices;

namespace Poolhouse.Resources.Engine.Core;

/// <summary>
/// A section under the gate of a <see cref="ResourceCore{T}"/> that changes its state: <c>using var section =
/// EnterGate(now);</c>.
/// </summary>
// The end of every such section, in this order: plan the work that is needed now, assert the invariants, leave the gate, start
// the planned work. Also when the section throws: it throws only before it has changed anything, and then there is nothing to
// plan. Sections after which a plan would start nothing do without one (docs/design/adr-0008).
internal readonly ref struct GatedSection<T>
    where T : notnull
{
    private readonly ResourceCore<T> _core;
    private readonly Gate.Scope _held;
    private readonly long _now;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public GatedSection(ResourceCore<T> core, Gate.Scope held, long now)
    {
        _core = core;
        _held = held;
        _now = now;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Dispose()
    {
        DeferredActions<T> actions;
        using (_held)
        {
            actions = _core.SettleLocked(_now);
        }

        _core.Apply(ref actions);
    }
}
