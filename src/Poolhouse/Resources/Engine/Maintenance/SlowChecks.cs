using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.Maintenance;

/// <summary>Limits how long waiting callers rely on a validation or a reset: it may hang. Under the core's gate.</summary>
// A slow check continues until its own deadline, and its item is used if it succeeds. But it is no longer a supply:
// another item is found or created for the callers meanwhile, if the capacity allows.
internal sealed class SlowChecks<T>(CoreState<T> state)
    where T : notnull
{
    /// <summary>Starts the validation of an entry that was idle.</summary>
    public void BeginValidation(ResourceEntry<T> entry, long now)
    {
        state.SetState(entry, EntryState.Validating);
        RelyOn(entry, now);
        state.Actions.Begin(entry);
    }

    /// <summary>Marks the start of a check that callers may rely on for a limited time.</summary>
    public void RelyOn(ResourceEntry<T> entry, long now)
    {
        entry.CheckedSince = now;
        if (state.Queue.Count > 0)
        {
            state.Actions.CheckNoLaterThan(PoolClock.Add(now, TimeUntilSlow(entry)));
        }
    }

    /// <summary>
    /// When to search for slow checks, for a caller that starts to wait; earlier callers have already scheduled theirs.
    /// </summary>
    public long NextCheck(long now) => Math.Min(
        state.Counts.TimelyValidations > 0 ? PoolClock.Add(now, state.Settings.SlowValidationAfter) : PoolClock.Never,
        state.Counts.TimelyResets > 0 ? PoolClock.Add(now, state.Settings.SlowResetAfter) : PoolClock.Never);

    /// <summary>
    /// While callers wait, stops relying on checks that have taken too long: other items are found or created for them.
    /// </summary>
    /// <returns>When the next check is slow.</returns>
    public long Find(long now)
    {
        var next = PoolClock.Never;
        if (state.Queue.Count == 0 || state.Counts.TimelyValidations + state.Counts.TimelyResets == 0)
        {
            return next;
        }

        foreach (var entry in state.Entries)
        {
            if (entry.IsSlow || entry.State is not EntryState.Validating and not EntryState.Resetting)
            {
                continue;
            }

            var due = PoolClock.Add(entry.CheckedSince, TimeUntilSlow(entry));
            if (now < due)
            {
                next = Math.Min(next, due);
            }
            else
            {
                state.SetSlow(entry, isSlow: true);
            }
        }

        return next;
    }

    private long TimeUntilSlow(ResourceEntry<T> entry) =>
        entry.State == EntryState.Resetting ? state.Settings.SlowResetAfter : state.Settings.SlowValidationAfter;
}
