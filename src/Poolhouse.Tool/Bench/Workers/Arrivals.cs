using Poolhouse.Tool.Bench.Resources.Trials;
using Poolhouse.Workers;

namespace Poolhouse.Tool.Bench.Workers;

/// <summary>Items that a dedicated thread submits at a steady pace, and how long each waited until it began.</summary>
/// <param name="pool">The pool that runs them; null: the thread pool.</param>
/// <param name="time">The clock.</param>
internal sealed class Arrivals(WorkerPool<NoState>? pool, TimeProvider time)
{
    private static readonly TimeSpan _step = TimeSpan.FromMilliseconds(1);

    private int _came;
    private int _begun;

    public Journal Journal { get; } = new(time);

    /// <summary>Submits the items that are due until a given second, then waits until all of them have begun.</summary>
    public async Task ComeAsync(double perSecond, double until, CancellationToken cancellation)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        new Thread(() =>
        {
            Come(perSecond, until, cancellation);
            ended.SetResult();
        })
        {
            IsBackground = true,
            Name = "arrivals",
        }.Start();
        await ended.Task.ConfigureAwait(false);
        while (Volatile.Read(ref _begun) < _came)
        {
            cancellation.ThrowIfCancellationRequested();
            await Task.Delay(1, cancellation).ConfigureAwait(false);
        }
    }

    private void Come(double perSecond, double until, CancellationToken cancellation)
    {
        var from = Journal.Now;
        var due = 0;
        while (Journal.Now < until && !cancellation.IsCancellationRequested)
        {
            for (; due < (Journal.Now - from) * perSecond; due++)
            {
                HandIn();
            }

            BlockingDelay.Wait(_step);
        }
    }

    private void HandIn()
    {
        _came++;
        var item = new Arrival(this, Journal.Now);
        if (pool is null)
        {
            ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);
        }
        else
        {
            pool.TryPost(static (_, each) => each.Execute(), item);
        }
    }

    private sealed class Arrival(Arrivals all, double came) : IThreadPoolWorkItem
    {
        public void Execute()
        {
            all.Journal.Note(TrialEvent.Served, all.Journal.Now - came);
            Interlocked.Increment(ref all._begun);
        }
    }
}
