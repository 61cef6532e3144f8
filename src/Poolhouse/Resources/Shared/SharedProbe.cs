using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <summary>Runs the keep-alive of an active item, with the deadline of a validation. The item is held meanwhile.</summary>
internal sealed class SharedProbe<T>(SharedProbes<T> probes, ResourceRuntime<T> runtime, SharedItem<T> item)
    : PolicyCall<T>(runtime)
    where T : notnull
{
    private readonly TaskCompletionSource _ended = new(runtime.Scheduler.Completion);

    public override long Limit => Settings.ValidateTimeout;

    /// <summary>Completes when the item is no longer held.</summary>
    public Task WhenEndedAsync() => _ended.Task;

    public void Complete() => _ended.TrySetResult();

    /// <summary>Prepares the probe for another call of the hook.</summary>
    public void Prepare() => Reset();

    protected override void Run()
    {
        if (StartFailure is null)
        {
            _ = RunAsync();
        }
        else if (TryFinish())
        {
            probes.Undo(this, item);
        }
    }

    // The hook may keep running and hold the item indefinitely: the item is destroyed concurrently, as in a pool of items that
    // are not shared.
    public override void EndAbandoned() => probes.End(this, item, isAlive: false);

    protected override void OnAbandoned()
    {
        // Nothing to do here: the end of the probe may return the item, and that calls the policy.
    }

    private async Task RunAsync()
    {
        var isAlive = true;
        try
        {
            await Runtime.Policy.KeepAliveAsync(item.Value, Token).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // Any exception means that the item does not work.
        catch (Exception)
#pragma warning restore CA1031
        {
            isAlive = false;
        }

        if (TryFinish())
        {
            probes.End(this, item, isAlive);
        }
    }
}
