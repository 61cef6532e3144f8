using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>Validates, resets or keeps alive the item of one entry, which occupies its slot meanwhile.</summary>
internal sealed class ItemCall<T>(ResourceRuntime<T> runtime, ResourceEntry<T> entry) : PolicyCall<T>(runtime)
    where T : notnull
{
    // Kept as long as the entry keeps this work item: an entry whose item was destroyed does not.
    private T _item = entry.Item;
    private EntryState _activity;
    private bool _tainted;
    private TaskCompletionSource? _ended;

    public override long Limit =>
        _activity == EntryState.Resetting ? Settings.ResetTimeout : Settings.ValidateTimeout;

    /// <summary>Prepares the next call. Called by the holder of the entry, whose earlier work has finished.</summary>
    public void Prepare(EntryState activity, bool tainted = false)
    {
        Reset();
        _activity = activity;
        _tainted = tainted;
        _ended = null;
    }

    /// <summary>
    /// Returns a task that completes when the work has ended or was abandoned. Called before the work is queued.
    /// </summary>
    public Task WhenEndedAsync() => (_ended ??= new TaskCompletionSource(Runtime.Scheduler.Completion)).Task;

    protected override void Run() => _ = RunAsync();

    protected override void OnAbandoned()
    {
        // Before anything else is planned: the policy may clear items that would be checked next.
        if (_activity != EntryState.Resetting)
        {
            UserCode.Notify(Runtime.Policy, _item, static (policy, item) => policy.OnValidationAbandoned(item));
        }

        End(FailureReason);
    }

    private DestroyReason FailureReason => _activity switch
    {
        // A tainted item is tainted until the policy has proved it clean.
        EntryState.Resetting => _tainted ? DestroyReason.Tainted : DestroyReason.ResetFailed,
        EntryState.KeepingAlive => DestroyReason.KeepAliveFailed,
        _ => DestroyReason.ValidationFailed,
    };

    private async Task RunAsync()
    {
        DestroyReason? verdict;
        try
        {
            verdict = StartFailure is not null ? FailureReason : _activity switch
            {
                EntryState.Resetting => await ResetAsync().ConfigureAwait(false),
                EntryState.KeepingAlive => await KeepAliveAsync().ConfigureAwait(false),
                _ => await ValidateAsync().ConfigureAwait(false),
            };
        }
#pragma warning disable CA1031 // Any exception of the policy means that the item cannot be used.
        catch (Exception)
#pragma warning restore CA1031
        {
            verdict = FailureReason;
        }

        if (TryFinish())
        {
            entry.Renew(_item);

            // Checked again, because the item may have broken while the hook ran, and the next caller may get it at once (I19).
            End(verdict ?? Runtime.Checks.InspectItem(Runtime.Settings, entry));
        }
    }

    private async ValueTask<DestroyReason?> ResetAsync()
    {
        var policy = Runtime.Policy;
        if (_tainted)
        {
            if (!await policy.ProveCleanAsync(_item, Token).ConfigureAwait(false) || IsAbandoned)
            {
                return DestroyReason.Tainted;
            }

            _tainted = false;
        }

        if (!Runtime.Settings.Resets)
        {
            return null;
        }

        if (!await policy.ResetAsync(_item, Token).ConfigureAwait(false))
        {
            return Runtime.Checks.ReasonFor(_item, DestroyReason.ResetFailed);
        }

        _item = policy.RenewedItem(_item);
        return MarkFresh();
    }

    private async ValueTask<DestroyReason?> ValidateAsync()
    {
        var now = Runtime.Clock.Now;
        if (Runtime.Checks.InspectIdle(Runtime.Settings, entry, now) is { } reason)
        {
            return reason;
        }

        if (!PolicyChecks<T>.IsStale(Runtime.Settings, entry, now))
        {
            return null;
        }

        var info = LeaseReader.InfoOf(entry, Runtime.Clock, now);
        return IsAbandoned || await Runtime.Policy.ValidateAsync(_item, info, Token).ConfigureAwait(false)
            ? MarkFresh()
            : Runtime.Checks.ReasonFor(_item, DestroyReason.ValidationFailed);
    }

    private async ValueTask<DestroyReason?> KeepAliveAsync()
    {
        await Runtime.Policy.KeepAliveAsync(_item, Token).ConfigureAwait(false);
        return MarkFresh();
    }

    private DestroyReason? MarkFresh()
    {
        if (!IsAbandoned)
        {
            entry.FreshSince = Runtime.Clock.Now;
        }

        return null;
    }

    private void End(DestroyReason? verdict)
    {
        // Read first: once the entry is offered, this object may be prepared for the next work.
        var ended = _ended;
        var now = Runtime.Clock.Now;
        if (verdict is { } reason)
        {
            Runtime.Core.Destroy(entry, reason, now);
        }
        else
        {
            Runtime.Core.Offer(entry, now);
        }

        ended?.TrySetResult();
    }
}
