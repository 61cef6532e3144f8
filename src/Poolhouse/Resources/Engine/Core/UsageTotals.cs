using System.Runtime.InteropServices;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.Core;

/// <summary>How often and how long items were used, and callers waited for them. Under the core's gate.</summary>
// A live entry counts its own uses and hand-overs, because the thread that returns it writes to it anyway. The counters of the
// pool hold those of entries that are gone, and those of the queue all other waits.
[StructLayout(LayoutKind.Auto)]
internal struct UsageTotals
{
    public long Uses;
    public long UseTicks;
    public long Waits;
    public long WaitTicks;

    public void Add<T>(ResourceEntry<T> entry)
        where T : notnull
    {
        Uses += entry.Uses;
        UseTicks += entry.UseTicks;
        Waits += entry.Waits;
        WaitTicks += entry.WaitTicks;
    }
}
