using Poolhouse.Workers;

namespace Poolhouse.Samples.ScriptWorkers;

/// <summary>Runs: those that hang, those that await, and the end.</summary>
internal static class RunLessons
{
    public static async Task HangAsync(Library library)
    {
        await using var pool = WorkerPool.Create(
            () => new Interpreter(library),
            new WorkerPoolOptions
            {
                MaxWorkers = 1,
                RunTimeout = TimeSpan.FromMinutes(1),
                MaxAbandonedWorkers = 4,
                Name = "hanging",
            });
        await pool.WarmUpAsync(1);

        try
        {
            await pool.RunAsync(
                static interpreter => interpreter.Run("wait"),
                new WorkOptions { Label = "nightly", RunTimeout = TimeSpan.FromMilliseconds(200) });
        }
        catch (WorkTimeoutException timeout)
        {
            Console.WriteLine($"Out of time: {timeout.Phase}.");
        }

        Console.WriteLine(
            $"The next one gets a new thread: {await pool.RunAsync(static interpreter => interpreter.Run("1 + 1"))}.");
        Console.WriteLine($"Abandoned and still running: {pool.GetStatistics().AbandonedWorkers}.");
        library.Door.Set();
        while (pool.GetStatistics().AbandonedWorkers > 0)
        {
            await Task.Delay(1);
        }

        library.Door.Reset();
    }

    public static async Task AwaitAsync(Library library)
    {
        await using var pool = WorkerPool.Create(() => new Interpreter(library), new WorkerPoolOptions { MaxWorkers = 2 });

        // snippet: workers-async
        var total = await pool.RunAsync(async interpreter =>
        {
            interpreter.Run("x = 20");
            await Task.Delay(10);       // the worker is kept, and runs nothing else
            return interpreter.Run("x + 22"); // on the same thread again
        });
        // end snippet
        Console.WriteLine($"Before and after an await: {total}.");

        // snippet: workers-scheduler
        var sum = await Task.Factory.StartNew(
            () => pool.CurrentState.Run("1 + 2"), CancellationToken.None, TaskCreationOptions.None, pool.Scheduler);
        // end snippet
        Console.WriteLine($"By the scheduler: {sum}.");
    }

    public static async Task BlockAsync(Library library)
    {
        await using var pool =
            WorkerPool.Create(() => new Interpreter(library), new WorkerPoolOptions { MaxWorkers = 1, Name = "own" });
        var isCaught = await pool.RunAsync(
            static (_, pool) =>
            {
                try
                {
                    return pool.Run(static interpreter => interpreter.Run("1")) == 0;
                }
                catch (InvalidOperationException)
                {
                    return pool.CurrentState.Run("1") == 1;
                }
            },
            pool);
        Console.WriteLine($"A worker that would wait for its own pool gets an exception: {isCaught}.");
    }

    public static async Task ShutDownAsync(Library library)
    {
        await using var pool = WorkerPool.Create(() => new Interpreter(library), new WorkerPoolOptions { MaxWorkers = 1 });
        using var begun = new SemaphoreSlim(0);
        pool.TryPost(
            static (interpreter, begun) =>
            {
                begun.Release();
                interpreter.Run("wait");
            },
            begun,
            new WorkOptions { Label = "nightly" });
        await begun.WaitAsync();
        pool.TryPost(static (interpreter, script) => interpreter.Run(script), "1");

        // snippet: workers-shutdown
        var left = await pool.ShutDownAsync(TimeSpan.FromMilliseconds(100));
        Console.WriteLine(
            $"{left.Dropped} never began; still running: {string.Join(", ", left.Abandoned.Select(each => each.Label))}.");
        // end snippet
        library.Door.Set();
    }
}
