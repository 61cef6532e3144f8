using System.Globalization;

namespace Poolhouse.Resources;

/// <summary>Destroys one item; the place of its entry, if it has one, is free when that has ended or was given up.</summary>
internal sealed class DestroyWork<T>(ResourceWorkshop<T> workshop, T item, ResourceEntry<T>? entry, DestroyReason reason) : PoolWork<T>(workshop)
    where T : notnull
{
    public override long Limit => Workshop.Settings.DestroyTimeout;

    protected override void Run() => _ = DestroyAsync();

    public override void ReportGivenUp() => Workshop.ReportDestroyed(reason, TookTooLong());

    protected override void OnAbandoned() => FreePlace();

    private TimeoutException TookTooLong() => new(string.Create(
        CultureInfo.InvariantCulture,
        $"Pool '{Workshop.Name}': the destruction of an item took longer than DestroyTimeout ({Workshop.Settings.Options.DestroyTimeout}); its place is free again."));

    private async Task DestroyAsync()
    {
        Exception? failure = null;
        try
        {
            await Workshop.Policy.DestroyAsync(item, reason).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // The item is gone as far as the pool can tell; the failure is counted and observed.
        catch (Exception thrown)
#pragma warning restore CA1031
        {
            failure = thrown;
        }

        if (TryFinish())
        {
            FreePlace();
            Workshop.ReportDestroyed(reason, failure);
        }
    }

    private void FreePlace()
    {
        // Before the place is free: whoever gets that finds what the item held free as well.
        Workshop.Policy.OnGone(item);
        if (entry is not null)
        {
            Workshop.Core.Destroyed(entry, Workshop.Clock.Now);
        }
    }
}
