using System.Collections.Concurrent;
using Poolhouse.Testing;
using Poolhouse.Workers;

namespace Poolhouse.Tests;

/// <summary>A worker pool with a separate clock, a recording policy, and helpers to block its workers.</summary>
internal sealed class WorkerBench : IDisposable
{
    private readonly List<BlockingWork> _blocks = [];
    private readonly ConcurrentBag<Thread> _threads = [];

    // Created once, even if the first to use it are several threads.
    private readonly Lazy<WorkerPool<Tool>> _pool;

    public WorkerBench(int maxWorkers = 1)
    {
        Options = new WorkerPoolOptions { MaxWorkers = maxWorkers, TimeProvider = Clock, Name = "bench" };
        var start = Options.StartThread;
        Options.StartThread = (thread, worker) =>
        {
            _threads.Add(thread);
            start(thread, worker);
        };
        _pool = new Lazy<WorkerPool<Tool>>(() => new WorkerPool<Tool>(Policy, Options));
    }

    public ManualTimeProvider Clock { get; } = new();

    public ToolPolicy Policy { get; } = new();

    public WorkRecorder Events { get; } = new();

    public WorkerPoolOptions Options { get; }

    public WorkerPool<Tool> Pool => _pool.Value;

    public WorkerPoolStatistics Now => Pool.GetStatistics();

    /// <summary>Attaches an observer.</summary>
    public WorkerBench Listen()
    {
        Options.Observer = Events;
        return this;
    }

    public Task RunAsync(Action<Tool> work, WorkOptions options = default, CancellationToken cancellationToken = default) =>
        Pool.RunAsync(work, options, cancellationToken).AsTask();

    public Task<T> GetAsync<T>(Func<Tool, T> work, WorkOptions options = default) => Pool.RunAsync(work, options).AsTask();

    /// <summary>Runs an item and waits for it.</summary>
    public Tool Use(WorkOptions options = default) => Pool.Run(static tool => tool, options);

    /// <summary>Blocks one worker.</summary>
    public BlockingWork Block(WorkOptions options = default)
    {
        var block = Queue(options);
        block.WaitUntilStarted();
        return block;
    }

    /// <summary>Queues an item that blocks its worker.</summary>
    public BlockingWork Queue(WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        var block = new BlockingWork();
        _blocks.Add(block);
        block.Ended = Pool.RunAsync(static (_, block) => block.Block(), block, options, cancellationToken).AsTask();
        return block;
    }

    /// <summary>Fills the queue with items that do nothing.</summary>
    public List<Task> Fill(int count, WorkOptions options = default) =>
        [.. Enumerable.Range(0, count).Select(_ => RunAsync(static _ => { }, options))];

    /// <summary>Waits until a number of workers are idle, and all threads wait.</summary>
    // A worker is counted as idle before it checks the queue for the last time: until its thread waits, it may still take an item
    // that another one was woken for.
    public void UntilParked(int workers = 1) =>
        Background.Until(() => Pool.Workers.Parked == workers && _threads.All(IsWaitingOrEnded));

    private static bool IsWaitingOrEnded(Thread thread) =>
        (thread.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != ThreadState.Running;

    public void Dispose()
    {
        // First: a worker that is released before may still run waiting items.
        if (_pool.IsValueCreated)
        {
            _pool.Value.Dispose();
        }

        _blocks.ForEach(static block => block.Release());
    }
}
