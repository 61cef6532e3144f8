namespace Poolhouse.Workers;

/// <summary>Reports the items that a shutdown did not complete.</summary>
/// <param name="Dropped">How many queued items never started; their callers got an <see cref="ObjectDisposedException"/>.</param>
/// <param name="Abandoned">The items that were still running. Their callers get the results when the items complete.</param>
public sealed record WorkerShutdown(int Dropped, IReadOnlyList<WorkAbandonedArgs> Abandoned)
{
    /// <summary>Whether all queued items were completed.</summary>
    public bool IsComplete => Dropped == 0 && Abandoned.Count == 0;
}
