using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>Destroys one item; the slot of its entry, if it has one, is released when that has ended or was abandoned.</summary>
internal sealed class DestroyCall<T>(
    ResourceRuntime<T> runtime, T item, long number, ResourceEntry<T>? entry, DestroyReason reason) : PolicyCall<T>(runtime)
    where T : notnull
{
    public override long Limit => Settings.DestroyTimeout;

    // An item that could not be destroyed in time still has to be.
    protected override bool RunsInAnyCase => true;

    protected override void Run() => _ = DestroyAsync();

    // Not with the report: there may be no memory for its text.
    public override void EndAbandoned() => Runtime.Events.CountDestroyFailure();

    public override void ReportAbandoned() => Runtime.Events.ReportDestroyed(number, reason, TookTooLong());

    protected override void OnAbandoned() => ReleaseCapacity();

    private TimeoutException TookTooLong() => new(
        $"Pool '{Runtime.Name}': the destruction of an item took longer than DestroyTimeout " +
        $"({Settings.Options.DestroyTimeout}); its capacity was released.");

    private async Task DestroyAsync()
    {
        Exception? failure = null;
        try
        {
            await Runtime.Policy.DestroyAsync(item, reason).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // The item counts as destroyed; the failure is counted and observed.
        catch (Exception thrown)
#pragma warning restore CA1031
        {
            failure = thrown;
        }

        if (TryFinish())
        {
            ReleaseCapacity();
            if (failure is not null)
            {
                Runtime.Events.CountDestroyFailure();
            }

            Runtime.Events.ReportDestroyed(number, reason, failure);
        }
    }

    private void ReleaseCapacity()
    {
        // Before the slot is released: the creation that gets the slot must find the resources of this item released.
        Runtime.Policy.OnReleasing(item);
        if (entry is not null)
        {
            Runtime.Core.Destroyed(entry, Runtime.Clock.Now);
        }
    }
}
