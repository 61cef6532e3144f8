namespace Poolhouse.Resources;

/// <summary>Validates, resets or keeps alive the item of one entry, which holds its place meanwhile.</summary>
internal sealed class ItemWork<T>(ResourceWorkshop<T> workshop, ResourceEntry<T> entry) : PoolWork<T>(workshop)
    where T : notnull
{
    // Kept as long as the entry keeps this work: an entry whose item was destroyed does not.
    private readonly T _item = entry.Item;
    private EntryActivity _activity;
    private bool _tainted;
    private TaskCompletionSource? _ended;

    public override long Limit =>
        _activity == EntryActivity.Resetting ? Workshop.Settings.ResetTimeout : Workshop.Settings.ValidateTimeout;

    /// <summary>For the holder of the entry, whose earlier work has finished.</summary>
    public void Prepare(EntryActivity activity, bool tainted = false)
    {
        Renew();
        _activity = activity;
        _tainted = tainted;
        _ended = null;
    }

    /// <summary>A task that completes when the work has ended or was given up. Before it is queued.</summary>
    public Task WhenEndedAsync() => (_ended ??= new TaskCompletionSource(Workshop.Scheduler.Completion)).Task;

    protected override void Run() => _ = RunAsync();

    protected override void OnAbandoned() => End(_activity == EntryActivity.Resetting && _tainted ? DestroyReason.Tainted : FailureReason);

    private DestroyReason FailureReason => _activity switch
    {
        EntryActivity.Resetting => DestroyReason.ResetFailed,
        EntryActivity.KeepingAlive => DestroyReason.KeepAliveFailed,
        _ => DestroyReason.ValidationFailed,
    };

    private async Task RunAsync()
    {
        if (IsGivenUp)
        {
            // The clock has jumped. The item is being destroyed.
            return;
        }

        DestroyReason? verdict;
        try
        {
            verdict = _activity switch
            {
                EntryActivity.Resetting => await ResetAsync().ConfigureAwait(false),
                EntryActivity.KeepingAlive => await KeepAliveAsync().ConfigureAwait(false),
                _ => await ValidateAsync().ConfigureAwait(false),
            };
        }
#pragma warning disable CA1031 // Whatever the policy throws says that the item cannot be used.
        catch (Exception)
#pragma warning restore CA1031
        {
            verdict = FailureReason;
        }

        if (TryFinish())
        {
            // Asked again, because the item may have broken while the hook ran, and the next caller may get it at once (I19).
            End(verdict ?? Workshop.InspectItem(entry));
        }
    }

    private async ValueTask<DestroyReason?> ResetAsync()
    {
        var policy = Workshop.Policy;
        if (_tainted)
        {
            if (!await policy.ProveCleanAsync(_item, Token).ConfigureAwait(false) || IsGivenUp)
            {
                return DestroyReason.Tainted;
            }

            _tainted = false;
        }

        return !Workshop.Settings.Resets || await policy.ResetAsync(_item, Token).ConfigureAwait(false)
            ? null
            : DestroyReason.ResetFailed;
    }

    private async ValueTask<DestroyReason?> ValidateAsync()
    {
        var now = Workshop.Clock.Now;
        if (Workshop.InspectIdle(entry, now) is { } dead)
        {
            return dead;
        }

        if (!Workshop.IsStale(entry, now))
        {
            return null;
        }

        var info = Workshop.InfoOf(entry, now);
        return IsGivenUp || await Workshop.Policy.ValidateAsync(_item, info, Token).ConfigureAwait(false)
            ? Fresh()
            : DestroyReason.ValidationFailed;
    }

    private async ValueTask<DestroyReason?> KeepAliveAsync()
    {
        await Workshop.Policy.KeepAliveAsync(_item, Token).ConfigureAwait(false);
        return Fresh();
    }

    private DestroyReason? Fresh()
    {
        if (!IsGivenUp)
        {
            entry.FreshSince = Workshop.Clock.Now;
        }

        return null;
    }

    private void End(DestroyReason? verdict)
    {
        // Taken out first: once the entry is offered, this object may be prepared for the next work.
        var ended = _ended;
        var now = Workshop.Clock.Now;
        if (verdict is { } reason)
        {
            Workshop.Core.Retire(entry, reason, now);
        }
        else
        {
            Workshop.Core.Offer(entry, now);
        }

        ended?.TrySetResult();
    }
}
