namespace Poolhouse.Tool.Bench.Rivals;

/// <summary>How a rival creates, checks and destroys its items.</summary>
/// <param name="Create">Creates an item.</param>
/// <param name="IsUsable">Whether an item may be rented and retained. Called on rent and on return.</param>
/// <param name="Destroy">Destroys an item.</param>
internal sealed record RivalItems<T>(
    Func<CancellationToken, ValueTask<T>> Create, Func<T, bool> IsUsable, Action<T> Destroy)
    where T : class
{
    /// <summary>Items that never break and need no destruction.</summary>
    public static RivalItems<T> Made(Func<CancellationToken, ValueTask<T>> create) => new(create, _ => true, _ => { });

    /// <summary>Creates an item on behalf of the caller: limited by the caller's remaining time, and cancelled with the
    /// caller.</summary>
    public async ValueTask<T> CreateForCallerAsync(TimeSpan timeLeft, CancellationToken cancellation)
    {
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        deadline.CancelAfter(timeLeft);
        try
        {
            return await Create(deadline.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException exception) when (!cancellation.IsCancellationRequested)
        {
            throw new TimeoutException("No item could be created in time.", exception);
        }
    }
}
