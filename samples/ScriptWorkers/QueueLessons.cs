using System.Collections.Concurrent;
using Poolhouse.Workers;

namespace Poolhouse.Samples.ScriptWorkers;

/// <summary>Queues: posts, lanes, keys, bounds.</summary>
internal static class QueueLessons
{
    public static async Task PostAsync(Library library)
    {
        var log = new Log();
        await using var pool = WorkerPool.Create(
            () => new Interpreter(library), new WorkerPoolOptions { MaxWorkers = 1, QueueCapacity = 1_000, Observer = log });

        // snippet: workers-post
        // Follows QueueFull when the queue is full: here, the caller waits for a slot, not for the script.
        await pool.PostAsync(static (interpreter, script) => interpreter.Run(script), "x = 1");

        // Never waits.
        var hasRoom = pool.TryPost(
            static (interpreter, script) => interpreter.Run(script), "nobody", new WorkOptions { Label = "clean up" });
        // end snippet
        await pool.DrainAsync();
        Console.WriteLine($"Accepted: {hasRoom}. {string.Join(' ', log.Lines)}");
    }

    public static async Task LanesAsync(Library library)
    {
        // snippet: workers-lanes
        await using var pool = WorkerPool.Create(
            () => new Interpreter(library),
            new WorkerPoolOptions { MaxWorkers = 1, Lanes = [new WorkLane(Weight: 3), new WorkLane(Weight: 1, Capacity: 100)] });
        var interactive = new WorkOptions { Lane = 0 };
        var reports = new WorkOptions { Lane = 1 };
        // end snippet
        var order = new ConcurrentQueue<char>();
        var first = pool.RunAsync(static interpreter => interpreter.Run("wait"));
        for (var i = 0; i < 6; i++)
        {
            pool.TryPost(static (_, order) => order.Enqueue('r'), order, reports);
            pool.TryPost(static (_, order) => order.Enqueue('i'), order, interactive);
        }

        library.Door.Set();
        await first;
        await pool.DrainAsync();
        library.Door.Reset();
        Console.WriteLine(
            $"Of the first 4 that began {order.Take(4).Count(each => each == 'i')} were interactive; then " +
            $"{new string([.. order.Skip(8)])}.");
    }

    public static async Task KeysAsync(Library library)
    {
        await using var pool = WorkerPool.Create(() => new Interpreter(library), new WorkerPoolOptions { MaxWorkers = 4 });
        var orders = new Dictionary<string, List<int>>(StringComparer.Ordinal) { ["ada"] = [], ["bob"] = [], ["eve"] = [] };

        for (var i = 0; i < 100; i++)
        {
            foreach (var (user, numbers) in orders)
            {
                var number = i;

                await pool.PostAsync((_, list) => list.Add(number), numbers, new WorkOptions { Key = user });
            }
        }

        await pool.DrainAsync();
        Console.WriteLine(
            $"In order for each of {orders.Count}: {orders.Values.All(list => list.SequenceEqual(Enumerable.Range(0, 100)))}.");
    }

    public static async Task RefuseAsync(Library library)
    {
        await using var pool = WorkerPool.Create(
            () => new Interpreter(library),
            new WorkerPoolOptions { MaxWorkers = 1, QueueCapacity = 1, QueueFull = QueueFullMode.Reject });
        await pool.WarmUpAsync(1);
        using var begun = new SemaphoreSlim(0);
        var first = pool.RunAsync(
            static (interpreter, begun) =>
            {
                begun.Release();
                return interpreter.Run("wait");
            },
            begun);
        await begun.WaitAsync();
        var second = pool.RunAsync(static interpreter => interpreter.Run("1"));
        try
        {
            await pool.RunAsync(static interpreter => interpreter.Run("2"));
        }
        catch (PoolOverloadedException overloaded) when (overloaded.Statistics is WorkerPoolStatistics statistics)
        {
            Console.WriteLine($"Refused: {statistics.Waiting} waits already.");
        }

        library.Door.Set();
        await first;
        await second;
        library.Door.Reset();
    }
}
