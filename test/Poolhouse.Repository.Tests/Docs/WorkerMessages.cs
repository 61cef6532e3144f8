using Poolhouse.Testing;
using Poolhouse.Workers;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>Makes a worker pool throw each of its messages, once.</summary>
internal static class WorkerMessages
{
    private static readonly TimeSpan _moment = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(1);

    public static IReadOnlyDictionary<string, Action> All { get; } = new Dictionary<string, Action>(StringComparer.Ordinal)
    {
        ["workers: invalid options"] = () => With(_ => { }, options => options.MaxWorkers = 0),
        ["workers: work after disposal"] = () => With(pool =>
        {
            pool.Dispose();
            pool.Run(static _ => { });
        }),
        ["workers: disposed while queued"] = () => WhileBusy((pool, _) =>
        {
            var queued = Begin(pool);
            pool.Dispose();
            queued.GetAwaiter().GetResult();
        }),
        ["workers: queue timeout"] = () => WhileBusy((pool, clock) =>
        {
            var queued = Begin(pool, new WorkOptions { QueueTimeout = _moment });
            clock.Advance(_moment);
            queued.GetAwaiter().GetResult();
        }),
        ["workers: run timeout"] = RunTooLong,
        ["workers: state takes too long"] = static () => CreateTooLong(isAhead: false),
        ["workers: state takes too long ahead of demand"] = static () => CreateTooLong(isAhead: true),
        ["workers: rejected"] = () => WhileBusy(
            static (pool, _) => QueueTwo(pool),
            options => (options.QueueCapacity, options.QueueFull) = (1, QueueFullMode.Reject)),
        ["workers: dropped"] = () => WhileBusy(
            static (pool, _) => QueueTwo(pool),
            options => (options.QueueCapacity, options.QueueFull) = (1, QueueFullMode.DropNewest)),
        ["workers: blocks on its own pool"] = () => With(pool => pool.Run(_ => pool.Run(static _ => { }))),
        ["workers: awaits its own worker"] = () => With(
            pool => pool.RunAsync(async _ => await pool.DrainAsync()).AsTask().GetAwaiter().GetResult()),
        ["workers: no current state"] = () => With(pool => _ = pool.CurrentState),
        ["workers: no such lane"] = () => With(pool => pool.Run(static _ => { }, new WorkOptions { Lane = 1 })),
        ["workers: null instead of a state"] = CreateNull,
        ["workers: null instead of a task"] = BeginNothing,
        ["workers: invalid work options"] =
            () => With(pool => pool.Run(static _ => { }, new WorkOptions { RunTimeout = TimeSpan.Zero })),
        ["workers: too small"] = () => With(pool => pool.Resize(0)),
        ["workers: too many to warm up"] = () => With(pool => pool.WarmUpAsync(2).GetAwaiter().GetResult()),
    };

    private static void With(Action<WorkerPool<NoState>> act, Action<WorkerPoolOptions>? change = null)
    {
        var options = new WorkerPoolOptions { MaxWorkers = 1, Name = "house" };
        change?.Invoke(options);
        using var pool = WorkerPool.Create(options);
        act(pool);
    }

    /// <summary>Acts while the only worker is busy.</summary>
    private static void WhileBusy(Action<WorkerPool<NoState>, ManualTimeProvider> act, Action<WorkerPoolOptions>? change = null)
    {
        var clock = new ManualTimeProvider();
        using var begun = new ManualResetEventSlim();
        using var door = new ManualResetEventSlim();
        With(
            pool =>
            {
                var busy = pool.RunAsync(_ =>
                {
                    begun.Set();
                    door.Wait();
                }).AsTask();
                begun.Wait();
                try
                {
                    act(pool, clock);
                }
                finally
                {
                    door.Set();
                    busy.GetAwaiter().GetResult();
                }
            },
            options =>
            {
                options.TimeProvider = clock;
                change?.Invoke(options);
            });
    }

    private static void RunTooLong()
    {
        var clock = new ManualTimeProvider();
        using var begun = new ManualResetEventSlim();
        using var door = new ManualResetEventSlim();
        With(
            pool =>
            {
                var hanging = pool.RunAsync(_ =>
                {
                    begun.Set();
                    door.Wait();
                }).AsTask();
                begun.Wait();
                try
                {
                    clock.Advance(_moment);
                    hanging.GetAwaiter().GetResult();
                }
                finally
                {
                    door.Set();
                    Assert.True(SpinWait.SpinUntil(() => pool.GetStatistics().AbandonedWorkers == 0, _patience));
                }
            },
            options => (options.TimeProvider, options.RunTimeout) = (clock, _moment));
    }

    private static void CreateTooLong(bool isAhead)
    {
        var clock = new ManualTimeProvider();
        using var begun = new ManualResetEventSlim();
        using var door = new ManualResetEventSlim();
        using var pool = WorkerPool.Create(
            () =>
            {
                begun.Set();
                door.Wait();
                return "late";
            },
            new WorkerPoolOptions { MaxWorkers = 1, Name = "house", TimeProvider = clock, RunTimeout = _moment });
        var waiting = isAhead ? pool.WarmUpAsync(1) : pool.RunAsync(static _ => { }).AsTask();
        begun.Wait();
        try
        {
            clock.Advance(_moment);
            waiting.GetAwaiter().GetResult();
        }
        finally
        {
            door.Set();
            Assert.True(SpinWait.SpinUntil(() => pool.GetStatistics().AbandonedWorkers == 0, _patience));
        }
    }

    private static void CreateNull()
    {
        using var pool = WorkerPool.Create(static () => (object)null!, new WorkerPoolOptions { MaxWorkers = 1, Name = "house" });
        pool.Run(static _ => { });
    }

    private static void BeginNothing()
    {
        Task? nothing = null;
        With(pool => pool.RunAsync(_ => nothing!).AsTask().GetAwaiter().GetResult());
    }

    private static void QueueTwo(WorkerPool<NoState> pool)
    {
        _ = Begin(pool);
        Begin(pool).GetAwaiter().GetResult();
    }

    private static Task Begin(WorkerPool<NoState> pool, WorkOptions options = default) =>
        pool.RunAsync(static _ => { }, options).AsTask();
}
