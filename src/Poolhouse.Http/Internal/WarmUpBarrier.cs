namespace Poolhouse.Http.Internal;

/// <summary>Where the requests of a warm-up wait for each other, each on its connection.</summary>
internal sealed class WarmUpBarrier(int expected)
{
    private readonly TaskCompletionSource _complete = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Exception? _failure;
    private int _arrived;

    /// <summary>How many requests have arrived; each counts once, even if it is repeated.</summary>
    public int Arrived => Volatile.Read(ref _arrived);

    /// <summary>The first failure of a request, or null.</summary>
    public Exception? Failure => Volatile.Read(ref _failure);

    public Task ArriveAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            // It reused the connection of an abandoned request, so there is no additional connection.
            return Task.FromCanceled(cancellationToken);
        }

        if (Interlocked.Increment(ref _arrived) == expected)
        {
            _complete.TrySetResult();
        }

        return _complete.Task.WaitAsync(cancellationToken);
    }

    public void Fail(Exception failure) => Interlocked.CompareExchange(ref _failure, failure, comparand: null);
}
