namespace Poolhouse.Tool.Bench.Workers;

/// <summary>Other work on the thread pool: a number of items that queue again as soon as they have run.</summary>
/// <param name="items">How many are queued or run at any time.</param>
/// <param name="work">What each does.</param>
internal sealed class Neighbour(int items, Action work)
{
    private readonly TaskCompletionSource _gone = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile bool _isLeaving;
    private int _left;
    private int _running;
    private int _peak;

    /// <summary>The most of its items that ran at the same time.</summary>
    public int Peak => Volatile.Read(ref _peak);

    public void MoveIn()
    {
        _left = items;
        for (var i = 0; i < items; i++)
        {
            Queue();
        }
    }

    /// <returns>A task that completes when its last item has run.</returns>
    public Task MoveOutAsync()
    {
        _isLeaving = true;
        return _gone.Task;
    }

    private void Queue() => ThreadPool.UnsafeQueueUserWorkItem(static each => each.Run(), this, preferLocal: false);

    private void Run()
    {
        if (!_isLeaving)
        {
            var running = Interlocked.Increment(ref _running);
            for (var peak = Peak; running > peak; peak = Peak)
            {
                Interlocked.CompareExchange(ref _peak, running, peak);
            }

            work();
            Interlocked.Decrement(ref _running);
            Queue();
        }
        else if (Interlocked.Decrement(ref _left) == 0)
        {
            _gone.TrySetResult();
        }
    }
}
