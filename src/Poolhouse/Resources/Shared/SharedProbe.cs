using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <summary>Keeps an item at work alive, under the deadline of a validation. The item is held meanwhile.</summary>
internal sealed class SharedProbe<T>(SharedItemSet<T> itemSet, ResourceRuntime<T> runtime, SharedItem<T> member) : PolicyCall<T>(runtime)
    where T : notnull
{
    private readonly TaskCompletionSource _ended = new(runtime.Scheduler.Completion);

    public override long Limit => Runtime.Settings.ValidateTimeout;

    /// <summary>Completes when the probe has ended or was given up.</summary>
    public Task WhenEndedAsync() => _ended.Task;

    protected override void Run() => _ = RunAsync();

    // The hook may go on, and may hold the item for ever: it is destroyed beside it, as in a pool of items that are not shared.
    public override void ReportGivenUp() => End(isAlive: false);

    protected override void OnAbandoned()
    {
        // Nothing here: the end of the probe may return the item, and that asks the policy about it.
    }

    private async Task RunAsync()
    {
        var isAlive = true;
        try
        {
            await Runtime.Policy.KeepAliveAsync(member.Item, Token).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // Whatever it is, the item does not work.
        catch (Exception)
#pragma warning restore CA1031
        {
            isAlive = false;
        }

        if (TryFinish())
        {
            End(isAlive);
        }
    }

    private void End(bool isAlive)
    {
        itemSet.EndProbe(this, member, isAlive);
        _ended.TrySetResult();
    }
}
