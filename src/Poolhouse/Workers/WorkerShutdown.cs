namespace Poolhouse;

/// <summary>What a shutdown left behind.</summary>
/// <param name="Dropped">How many queued items never began; their callers got an <see cref="ObjectDisposedException"/>.</param>
/// <param name="Abandoned">The items that were still running. Their callers get their results, when they have any.</param>
public sealed record WorkerShutdown(int Dropped, IReadOnlyList<WorkAbandoned> Abandoned)
{
    /// <summary>Whether everything that had been handed in was done.</summary>
    public bool IsComplete => Dropped == 0 && Abandoned.Count == 0;
}
