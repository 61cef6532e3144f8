namespace Poolhouse.Tool.Bench.Workers;

/// <summary>A batch of equal items. One object for all of them, so that only the runner is measured.</summary>
/// <param name="work">What an item does; its result is added up.</param>
internal sealed class Job(Func<long> work) : IThreadPoolWorkItem, IDisposable
{
    // The batch of which this thread last ran an item.
    [ThreadStatic]
    private static object? _seen;

    private readonly ManualResetEventSlim _done = new();
    private object _batch = new();
    private int _left;
    private int _threads;
    private long _sum;

    /// <summary>What all items returned, added up.</summary>
    public long Sum => Volatile.Read(ref _sum);

    /// <summary>How many threads ran the items of the last batch.</summary>
    public int Threads => Volatile.Read(ref _threads);

    public void Begin(int items)
    {
        _done.Reset();
        _threads = 0;
        _batch = new object();
        Volatile.Write(ref _left, items);
    }

    /// <summary>Runs an item.</summary>
    public void Execute() => Finish(work());

    /// <summary>Records that an item has run.</summary>
    public void Finish(long result)
    {
        if (_seen != _batch)
        {
            _seen = _batch;
            Interlocked.Increment(ref _threads);
        }

        Interlocked.Add(ref _sum, result);
        if (Interlocked.Decrement(ref _left) == 0)
        {
            _done.Set();
        }
    }

    /// <summary>Waits until all items have run.</summary>
    public void Wait() => _done.Wait();

    public void Dispose() => _done.Dispose();
}
