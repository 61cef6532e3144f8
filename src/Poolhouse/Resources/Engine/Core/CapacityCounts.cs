using System.Diagnostics;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.Core;

/// <summary>Counts the slots of a pool by what they are used for. Under the core's gate.</summary>
// Invariants
//   an occupied slot counts once in Live, from the start of the creation until the item is destroyed, detached or was not created
//   it counts at most once as creating, validating, kept alive, resetting or destroying. If it counts as none of these, its item
//   is idle or leased: these two are not counted here, because the hot cells change them without the gate
//   a slow check also counts as one that is in progress
internal sealed class CapacityCounts
{
    /// <summary>The occupied slots.</summary>
    public int Live { get; private set; }

    public int PeakLive { get; private set; }

    public int Creating { get; private set; }

    /// <summary>The creations on dedicated threads, for callers that block.</summary>
    public int CreatingSynchronously { get; private set; }

    public int Validating { get; private set; }

    public int KeepingAlive { get; private set; }

    public int Resetting { get; private set; }

    public int Destroying { get; private set; }

    public int SlowValidations { get; private set; }

    public int SlowResets { get; private set; }

    /// <summary>The slots whose items are not about to be destroyed.</summary>
    public int NotDestroying => Live - Destroying;

    /// <summary>The items that exist and are not about to be destroyed.</summary>
    public int Ready => Live - Creating - Destroying;

    /// <summary>The operations in progress.</summary>
    public int InProgress => Creating + Validating + KeepingAlive + Resetting + Destroying;

    /// <summary>The validations and resets that have taken too long for callers to rely on.</summary>
    public int SlowChecks => SlowValidations + SlowResets;

    public int TimelyValidations => Validating - SlowValidations;

    public int TimelyResets => Resetting - SlowResets;

    /// <summary>
    /// The items on their way for the waiting callers: each will be offered to the head of the queue, or its failure triggers a
    /// new plan. Slow checks may hang: callers no longer rely on them.
    /// </summary>
    public int Supplies => Creating + Validating + Resetting - SlowChecks;

    /// <summary>
    /// All operations that will offer an item when they complete. Callers do not rely on upkeep, which begins when no caller
    /// waits and may take a long time: they get creations and idle items of their own in addition.
    /// </summary>
    public int SuppliesWithUpkeep => Supplies + KeepingAlive;

    /// <summary>The slots that are not occupied, given the capacity.</summary>
    public int Free(int maxSize) => Math.Max(0, maxSize - Live);

    public void BeginCreation(bool synchronously)
    {
        Live++;
        Creating++;
        CreatingSynchronously += synchronously ? 1 : 0;
        PeakLive = Math.Max(PeakLive, Live);
    }

    /// <summary>Counts the end of a creation. Its slot stays occupied until <see cref="ReleaseSlot"/>.</summary>
    public void EndCreation(bool synchronously)
    {
        Creating--;
        CreatingSynchronously -= synchronously ? 1 : 0;
    }

    public void ReleaseSlot() => Live--;

    public void Count(EntryState state, int change)
    {
        Validating += state == EntryState.Validating ? change : 0;
        KeepingAlive += state == EntryState.KeepingAlive ? change : 0;
        Resetting += state == EntryState.Resetting ? change : 0;
        Destroying += state == EntryState.Destroying ? change : 0;
    }

    public void CountSlow(EntryState state, int change)
    {
        SlowValidations += state == EntryState.Validating ? change : 0;
        SlowResets += state == EntryState.Resetting ? change : 0;
    }

    [Conditional("DEBUG")]
    public void AssertInvariants(int entries)
    {
        Debug.Assert(Live >= InProgress, "More operations are in progress than slots are occupied.");
        Debug.Assert(Live == entries + Creating, "The registered entries do not match the occupied slots.");
        Debug.Assert(SlowValidations <= Validating && SlowResets <= Resetting, "More checks are slow than in progress.");
        Debug.Assert(
            Creating >= 0 && Validating >= 0 && KeepingAlive >= 0 && Resetting >= 0 && Destroying >= 0, "A count is negative.");
        Debug.Assert(SlowValidations >= 0 && SlowResets >= 0, "A count of slow checks is negative.");
        Debug.Assert(
            CreatingSynchronously >= 0 && CreatingSynchronously <= Creating, "More synchronous creations than creations.");
    }
}
