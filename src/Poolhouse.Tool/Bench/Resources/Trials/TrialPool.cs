namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>A pool on trial: the same face for all.</summary>
internal abstract class TrialPool : IAsyncDisposable
{
    /// <summary>Rents a session, uses it, and returns it.</summary>
    public abstract Task UseAsync(Func<Session, Task> use, TimeSpan patience, CancellationToken cancellation);

    public abstract ValueTask DisposeAsync();

    /// <summary>Fills the pool with so many idle sessions.</summary>
    public virtual Task FillAsync(int count, CancellationToken cancellation) => HoldTogetherAsync(count, cancellation);

    /// <summary>Holds so many sessions at the same time, and lets them go when the last is there.</summary>
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
