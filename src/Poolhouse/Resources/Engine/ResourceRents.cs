using System.Runtime.CompilerServices;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine;

/// <summary>Rents items to callers: an idle item that is usable at once, or else one through the queue.</summary>
internal sealed class ResourceRents<T>(ResourceRuntime<T> runtime)
    : WaitingRents<ResourceEntry<T>, T>(runtime, runtime.Events)
    where T : notnull
{
    private readonly ResourceCore<T> _core = runtime.Core;
    private readonly PoolClock _clock = runtime.Clock;
    private readonly PolicyChecks<T> _checks = runtime.Checks;

    /// <summary>Rents the item that this thread returned last, if it can be used without further checks.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryRentHot(out Lease<T> lease, out ResourceEntry<T>? unusable)
    {
        unusable = null;
        if (_core.TryTakeHot() is { } entry)
        {
            var now = _clock.Coarse;
            if (IsUsable(entry, now))
            {
                entry.BeginUse(now);
                lease = entry.BeginLease();
                return true;
            }

            unusable = entry;
        }

        lease = default;
        return false;
    }

    /// <summary>Rents an idle item without waiting.</summary>
    /// <param name="entry">An entry that was already taken and must be checked first, or null.</param>
    /// <param name="trace">Where the caller is, if that is tracked.</param>
    /// <param name="lease">The lease.</param>
    /// <param name="stale">An entry that must be validated before it can be used; the caller passes it on when it queues.</param>
    public bool TryRentIdle(ResourceEntry<T>? entry, LeaseTrace? trace, out Lease<T> lease, out ResourceEntry<T>? stale)
    {
        for (entry ??= _core.TryTakeIdle(); entry is not null; entry = _core.TryTakeIdle())
        {
            var now = _clock.Coarse;
            if (_checks.InspectIdle(_core.Settings, entry, now) is { } reason)
            {
                _core.Destroy(entry, reason, now);
                continue;
            }

            if (PolicyChecks<T>.IsStale(_core.Settings, entry, now))
            {
                break;
            }

            entry.BeginUse(now);
            entry.Trace = trace;
            stale = null;
            lease = Begin(entry, trace);
            return true;
        }

        stale = entry;
        lease = default;
        return false;
    }

    /// <summary>
    /// Creates the exception for a caller with a timeout of zero, and validates the stale entry in the background.
    /// </summary>
    public Exception NoTimeToWait(ResourceEntry<T>? stale, LeaseTrace? trace)
    {
        ValidateInBackground(stale);
        return TimedOut(TimeSpan.Zero, trace);
    }

    /// <summary>
    /// Validates an entry that a caller has taken and will not use, if there is one: it is in no store, so it would be lost (I6).
    /// </summary>
    public override void ValidateInBackground(ResourceEntry<T>? stale)
    {
        if (stale is not null)
        {
            _core.Validate(stale, _clock.Coarse);
        }
    }

    public override void EndInOutage() => _core.EndInOutage(_clock.Now);

    protected override WaitOutcome Enter(Waiter<ResourceEntry<T>> waiter, ResourceEntry<T>? stale, long now) =>
        _core.Enter(waiter, stale, now);

    protected override void Withdraw(Waiter<ResourceEntry<T>> waiter, long now, bool wakes) =>
        _core.Withdraw(waiter, now, wakes);

    protected override Lease<T> Begin(ResourceEntry<T> grant, LeaseTrace? trace)
    {
        trace?.BeginLease(Runtime.Events.Pool.Name, _clock, grant.RentedAt);
        return grant.BeginLease();
    }

    protected override void ReturnUnused(Waiter<ResourceEntry<T>> waiter) => _core.EntryOf(waiter).BeginLease().Dispose();

    protected override Exception Overloaded() => RentErrors.Overloaded(PoolReport.Of(Runtime), Runtime.Settings.MaxWaiters);

    protected override Exception ErrorOf(WaitOutcome outcome, Waiter<ResourceEntry<T>> waiter, TimeSpan elapsed) => outcome switch
    {
        WaitOutcome.TimedOut => TimedOut(elapsed, waiter.Trace),
        WaitOutcome.Failed => RentErrors.Failed(PoolReport.Of(Runtime), waiter, elapsed, _clock),
        WaitOutcome.Shed => RentErrors.Shed(PoolReport.Of(Runtime), elapsed, Runtime.Settings.Options.Overload),
        _ => RentErrors.Closed(Runtime.Events.Pool.Name),
    };

    private Exception TimedOut(TimeSpan elapsed, LeaseTrace? trace) => RentErrors.TimedOut(
        PoolReport.Of(Runtime), elapsed, Runtime.GetLeases(LeaseReader.Shown),
        trace is null ? 0 : _core.Readings.CountLeasesOf(trace));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsUsable(ResourceEntry<T> entry, long now)
    {
        var settings = _core.Settings;
        return now < entry.ExpiresAt && now - entry.FreshSince < settings.FreshFor
            && !(settings.CallsIsBroken && _checks.IsBroken(entry.Item));
    }
}
