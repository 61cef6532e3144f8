using System.Runtime.CompilerServices;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Engine;

/// <summary>
/// Takes items back from leases that ended: to the hot cell if they are clean, or else through a reset, the queue or destruction.
/// </summary>
internal sealed class ResourceReturns<T>(ResourceRuntime<T> runtime) : ILeaseOwner<T>
    where T : notnull
{
    private readonly ResourceCore<T> _core = runtime.Core;
    private readonly PolicyChecks<T> _checks = runtime.Checks;
    private readonly PoolClock _clock = runtime.Clock;
    private readonly PoolReporter _reporter = runtime.Events.Reporter;

    public string Name => runtime.Name;

    public LeaseInfo GetInfo(LeaseSlot<T> slot) => LeaseReader.InfoOf((ResourceEntry<T>)slot, _clock, _clock.Now);

    public LeaseSnapshot? FindLease(LeaseSlot<T> slot) => LeaseReader.Find((ResourceEntry<T>)slot, _clock);

    public void Return(LeaseSlot<T> slot)
    {
        var entry = (ResourceEntry<T>)slot;
        if (!TryReturnHot(entry, out var now))
        {
            _ = ReturnSlowAsync(entry, awaitsReset: false, now);
        }
    }

    public ValueTask ReturnAsync(LeaseSlot<T> slot)
    {
        var entry = (ResourceEntry<T>)slot;
        return TryReturnHot(entry, out var now)
            ? default
            : new ValueTask(ReturnSlowAsync(entry, runtime.Settings.Options.AwaitReset, now));
    }

    public void Discard(LeaseSlot<T> slot)
    {
        var entry = (ResourceEntry<T>)slot;
        _core.Destroy(entry, entry.DiscardReason, EndUse(entry));
    }

    public void Detach(LeaseSlot<T> slot)
    {
        var entry = (ResourceEntry<T>)slot;
        _core.Detach(entry, EndUse(entry));
    }

    public void CountDoubleReturn() => runtime.Events.CountDoubleReturn();

    private long EndUse(ResourceEntry<T> entry)
    {
        var now = _clock.Coarse;
        var used = entry.EndUse(now);
        if (PoolDetail.IsOn || _reporter.RecordsUseTime || entry.Trace is not null)
        {
            runtime.Events.ReportUse(entry, used);
        }

        return now;
    }

    private bool TryReturnHot(ResourceEntry<T> entry, out long now)
    {
        var settings = _core.Settings;
        now = EndUse(entry);
        return now < entry.ExpiresAt && !entry.WasTainted
            && (settings.NeedsNoCheckOnReturn || _checks.CanReuseAsIs(settings, entry))
            && (_core.TryPutHot(entry, now) || _core.TryServeHead(entry, now));
    }

    /// <summary>Returns an entry that must be reset, destroyed, or handed to a waiter.</summary>
    /// <returns>A task that completes when the item is clean, if requested; otherwise a completed task.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Task ReturnSlowAsync(ResourceEntry<T> entry, bool awaitsReset, long now)
    {
        var settings = _core.Settings;
        if (runtime.Shutdown.IsClosed)
        {
            _core.Destroy(entry, DestroyReason.PoolDisposed, now);
        }
        else if (_checks.Inspect(settings, entry, now) is { } reason)
        {
            _core.Destroy(entry, reason, now);
        }
        else if (entry.WasTainted && !settings.ProvesClean)
        {
            _core.Destroy(entry, DestroyReason.Tainted, now);
        }
        else if (entry.Uses >= settings.MaxUses)
        {
            _core.Destroy(entry, DestroyReason.MaxUses, now);
        }
        else if (entry.WasTainted || _checks.NeedsReset(settings, entry))
        {
            return ResetAsync(entry, awaitsReset, now);
        }
        else
        {
            _core.Offer(entry, now);
        }

        return Task.CompletedTask;
    }

    /// <summary>Resets a returned entry; destroys it if there is not enough memory for that.</summary>
    /// <returns>A task that completes when the reset has ended, if requested; otherwise a completed task.</returns>
    private Task ResetAsync(ResourceEntry<T> entry, bool awaitsEnd, long now)
    {
        var tainted = entry.WasTainted;
        try
        {
            var call = runtime.Prepare(entry, EntryState.Resetting, tainted);
            var ended = awaitsEnd ? call.WhenEndedAsync() : Task.CompletedTask;
            _core.BeginReset(entry, now);
            call.Queue();
            return ended;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            _core.Destroy(entry, tainted ? DestroyReason.Tainted : DestroyReason.ResetFailed, now);
            return Task.CompletedTask;
        }
    }
}
