namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>A pool in a trial: the same interface for all.</summary>
internal abstract class TrialPool : IAsyncDisposable
{
    /// <summary>Rents a session, uses it, and returns it.</summary>
    public abstract Task UseAsync(Func<Session, Task> use, TimeSpan patience, CancellationToken cancellation);

    public abstract ValueTask DisposeAsync();

    /// <summary>Fills the pool with the given number of idle sessions.</summary>
    public virtual Task FillAsync(int count, CancellationToken cancellation) => HoldTogetherAsync(count, cancellation);

    /// <summary>Holds the given number of sessions at the same time, and releases them when all are rented.</summary>
    public async Task HoldTogetherAsync(int count, CancellationToken cancellation)
    {
        var together = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var arrived = 0;
        var uses = Enumerable.Range(0, count).Select(_ => UseAsync(MeetAsync, Timeout.InfiniteTimeSpan, cancellation)).ToList();
        await Task.WhenAll(uses).ConfigureAwait(false);

        Task MeetAsync(Session session)
        {
            if (Interlocked.Increment(ref arrived) == count)
            {
                together.SetResult();
            }

            return together.Task.WaitAsync(cancellation);
        }
    }
}
