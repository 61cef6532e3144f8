using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>
/// Checks an item on the stack of the caller that rents or returns it, with the policy's quick hooks and the settings.
/// </summary>
// If a hook throws, the safe result is assumed: the item is broken, or needs a reset. An interrupt that hits a hook is left for
// the next wait of the thread. The two hooks of the fast path are called without a delegate.
internal sealed class PolicyChecks<T>(ResourcePolicy<T> policy, ResourceHooks hooks)
    where T : notnull
{
    private readonly bool _callsIsBrokenByParent = hooks.HasFlag(InternalHooks.IsBrokenByParent);

    /// <summary>Returns why an entry cannot be used, or null if it can.</summary>
    public DestroyReason? Inspect(ResourceSettings settings, ResourceEntry<T> entry, long now) =>
        now >= entry.Expiry ? entry.ExpiryReason
        : InspectItem(settings, entry);

    /// <summary>Does the same as <see cref="Inspect"/>, for an entry that has not been used since it became idle.</summary>
    public DestroyReason? InspectIdle(ResourceSettings settings, ResourceEntry<T> entry, long now) =>
        Inspect(settings, entry, now)
        ?? (now - entry.FreshSince >= settings.CheckAfterIdle && IsBrokenAfterIdle(entry.Item) ? DestroyReason.Broken : null);

    /// <summary>Returns why an item cannot be used, regardless of its age, or null if it can.</summary>
    public DestroyReason? InspectItem(ResourceSettings settings, ResourceEntry<T> entry) =>
        !settings.CallsIsBroken || !IsBroken(entry.Item) ? null
        : IsBrokenByParent(entry) ? DestroyReason.ParentInactive
        : ReasonFor(entry.Item, DestroyReason.Broken);

    /// <summary>Whether an entry must be validated before it is rented.</summary>
    public static bool IsStale(ResourceSettings settings, ResourceEntry<T> entry, long now) =>
        now - entry.FreshSince >= settings.ValidateAfterIdle
            || (entry.IsStale && settings.ValidateAfterIdle != PoolClock.Never);

    /// <summary>Whether the item is broken because its parent is inactive. Also under the gate: the hook reads a field.</summary>
    public bool IsBrokenByParent(ResourceEntry<T> entry) => _callsIsBrokenByParent && policy.IsBrokenByParent(entry.Item);

#pragma warning disable CA1031 // A hook that throws means that the item cannot be used.
    public bool IsBroken(T item)
    {
        try
        {
            return policy.IsBroken(item);
        }
        catch (Exception thrown)
        {
            CurrentThread.KeepInterrupt(thrown);
            return true;
        }
    }

    /// <summary>
    /// Why an item is destroyed that a hook rejected: for the given reason, unless the policy says that it has expired.
    /// </summary>
    public DestroyReason ReasonFor(T item, DestroyReason failure) =>
        UserCode.CallHook(policy, item, static (policy, item) => policy.IsExpired(item), ifItThrows: false)
            ? DestroyReason.Expired
            : failure;

    /// <summary>Whether the policy reports a failure of its own as a lack of room.</summary>
    public bool LacksRoom(Exception failure) =>
        UserCode.CallHook(policy, failure, static (policy, failure) => policy.LacksRoom(failure), ifItThrows: false);

    /// <summary>Whether the policy reports a failure of its own as permanent.</summary>
    public bool IsPermanent(Exception failure) =>
        UserCode.CallHook(policy, failure, static (policy, failure) => policy.IsPermanent(failure), ifItThrows: false);

    /// <summary>
    /// Whether a returned entry that is not tainted can be leased again and is neither broken nor in need of a reset. False if
    /// the policy cannot determine that.
    /// </summary>
    public bool CanReuseAsIs(ResourceSettings settings, ResourceEntry<T> entry)
    {
        if (settings.MaxUses != int.MaxValue && entry.Uses >= settings.MaxUses)
        {
            return false;
        }

        if (!settings.Resets)
        {
            return !settings.CallsIsBroken || !IsBroken(entry.Item);
        }

        try
        {
            return settings.CallsNeedsReset && policy.CanReuseAsIs(entry.Item);
        }
        catch (Exception thrown)
        {
            CurrentThread.KeepInterrupt(thrown);
            return false;
        }
    }
#pragma warning restore CA1031

    /// <summary>Whether a returned entry that is not tainted must be reset before its next lease.</summary>
    public bool NeedsReset(ResourceSettings settings, ResourceEntry<T> entry) =>
        settings.Resets && (!settings.CallsNeedsReset
            || UserCode.CallHook(policy, entry.Item, static (policy, item) => policy.NeedsReset(item), ifItThrows: true));

    private bool IsBrokenAfterIdle(T item) =>
        UserCode.CallHook(policy, item, static (policy, item) => policy.IsBrokenAfterIdle(item), ifItThrows: true);
}
