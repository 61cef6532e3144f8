using System.Diagnostics;
using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine.Core;

/// <summary>
/// The state that the parts of a <see cref="ResourceCore{T}"/> share: items, callers, and the work to be started. Under the
/// core's gate.
/// </summary>
// Invariants
//   an entry is registered from its creation until its slot is released, at its own index
//   its state changes only here, so the counts always match the entries
//   what a section decides to do outside the gate is collected in Actions; the end of the section takes it from here
internal sealed class CoreState<T>(
    IEngineHost<T> host, SharedCapacity<T>.Member? sharedCapacity, ResourceSettings settings, CoDelController? delays, int cells)
    where T : notnull
{
    private readonly List<ResourceEntry<T>> _entries = [];

    // A field, because it is a struct that is changed in place.
    private DeferredActions<T> _actions = DeferredActions<T>.None;

    public IEngineHost<T> Host { get; } = host;

    /// <summary>This pool's share of a capacity that it has in common with other pools, or null.</summary>
    public SharedCapacity<T>.Member? SharedCapacity { get; } = sharedCapacity;

    public ResourceSettings Settings { get; set; } = settings;

    public Lifecycle Lifecycle { get; set; }

    public bool IsSuspended { get; set; }

    public IdleStore<T> Idle { get; } = new(settings.Options.IdleOrder, cells);

    public CallerQueue<ResourceEntry<T>> Queue { get; } = new(delays, settings.ClockLag);

    public CapacityCounts Counts { get; } = new();

    public ResourceCounters Counters { get; } = new();

    public List<ResourceEntry<T>> Entries => _entries;

    /// <summary>The actions of the current section, to be started after the gate has been left.</summary>
    public ref DeferredActions<T> Actions => ref _actions;

    /// <summary>Whether there are actions that a section could not start, and that the next one takes over.</summary>
    public bool HasPostponed { get; private set; }

    /// <summary>
    /// Whether more slots are occupied than the capacity allows, without those whose items are about to be destroyed.
    /// </summary>
    public bool HasSurplus => Counts.NotDestroying > Settings.MaxSize;

    /// <summary>Whether there are more entries than the minimum, which stops the trimming by idle time.</summary>
    public bool ExceedsMinimum =>
        (Settings.MinIdleCountsAll ? Counts.NotDestroying : Idle.Count) > Settings.MinIdle;

    /// <summary>
    /// Whether more callers wait than validations are in progress, so that no entry may stay idle, unless the pool is suspended.
    /// Creations and resets in progress do not justify leaving an entry idle: they may take a long time, and may fail (I5).
    /// </summary>
    public bool CallersNeedIdleEntries => !IsSuspended && Queue.Count > Counts.TimelyValidations;

    /// <summary>Why rents and returns must go through the gate.</summary>
    public SlowPathReasons SlowPathReasons =>
        (Queue.Count > 0 ? SlowPathReasons.Waiting : SlowPathReasons.None) |
        (IsSuspended ? SlowPathReasons.Suspended : SlowPathReasons.None) |
        (Lifecycle != Lifecycle.Open ? SlowPathReasons.Closing : SlowPathReasons.None) |
        (HasSurplus ? SlowPathReasons.Surplus : SlowPathReasons.None) |
        (Settings.Options.IdleOrder == IdleOrder.Fifo ? SlowPathReasons.Fifo : SlowPathReasons.None);

    /// <inheritdoc cref="SharedCapacity{T}.Member.ShouldYield"/>
    public bool ShouldYield(long oldestWait) =>
        Lifecycle == Lifecycle.Open && SharedCapacity?.ShouldYield(oldestWait) == true;

    /// <summary>
    /// Reserves memory for one more entry: the only allocation for a change under the gate, and before anything is changed.
    /// </summary>
    /// <exception cref="OutOfMemoryException">There is not enough memory.</exception>
    public void ReserveEntry() => _entries.EnsureCapacity(_entries.Count + 1);

    public void Register(ResourceEntry<T> entry)
    {
        entry.Index = _entries.Count;
        _entries.Add(entry);
    }

    /// <summary>Removes an entry whose item is gone or belongs to a caller, and releases its slot.</summary>
    public void Unregister(ResourceEntry<T> entry)
    {
        Counters.Usage.Add(entry);
        var last = _entries[^1];
        _entries[entry.Index] = last;
        last.Index = entry.Index;
        _entries.RemoveAt(_entries.Count - 1);
        entry.Forget();
        ReleaseSlot();
    }

    public void ReleaseSlot()
    {
        Counts.ReleaseSlot();
        _actions.CapacityFreed++;
    }

    public void SetState(ResourceEntry<T> entry, EntryState state)
    {
        if (entry.State == state)
        {
            return;
        }

        Counts.Count(entry.State, -1);
        if (entry.IsSlow)
        {
            SetSlow(entry, isSlow: false);
        }

        entry.State = state;
        Counts.Count(state, 1);
    }

    public void SetSlow(ResourceEntry<T> entry, bool isSlow)
    {
        entry.IsSlow = isSlow;
        Counts.CountSlow(entry.State, isSlow ? 1 : -1);
    }

    /// <summary>Starts the destruction of an entry that is not idle; its slot is released afterwards.</summary>
    public void Destroy(ResourceEntry<T> entry, DestroyReason reason)
    {
        SetState(entry, EntryState.Destroying);
        entry.ExpiryReason = reason;
        Counters.Destroyed[(int)reason]++;
        _actions.Begin(entry);
    }

    /// <summary>Starts the destruction of an entry that is in the idle list.</summary>
    public void DestroyIdle(ResourceEntry<T> entry, DestroyReason reason)
    {
        Idle.Remove(entry);
        Destroy(entry, reason);
    }

    [Conditional("DEBUG")]
    public void AssertInvariants()
    {
        Counts.AssertInvariants(_entries.Count);
        Debug.Assert(!CallersNeedIdleEntries || Idle.Oldest is null, "A caller waits while an entry is in the idle list.");
        Debug.Assert(
            SharedCapacity is not { Want: CapacityWant.Caller } || (Queue.Count > Counts.Supplies && !IsSuspended),
            "Shared capacity is wanted for a caller, but no caller needs it.");
    }

    /// <summary>Takes the actions, to be started outside the gate.</summary>
    public DeferredActions<T> TakeActions()
    {
        HasPostponed = false;
        return _actions.TakeAll();
    }

    /// <summary>Leaves actions that could not be started to the next section.</summary>
    public void Postpone(ref DeferredActions<T> actions)
    {
        _actions.Add(ref actions);
        HasPostponed = true;
    }
}
