using Poolhouse.Workers;

namespace Poolhouse.Samples.ScriptWorkers;

/// <summary>States: created, used and destroyed on one thread.</summary>
internal static class StateLessons
{
    public static async Task FirstAsync(Library library)
    {
        // snippet: workers-pool
        await using var pool = WorkerPool.Create(
            () => new Interpreter(library),
            new WorkerPoolOptions { MaxWorkers = 2, Name = "scripts" });

        var result = await pool.RunAsync(static (interpreter, script) => interpreter.Run(script), "x = rate + 1; x + x");
        // end snippet
        Console.WriteLine($"x + x is {result}.");

        var escaped = await pool.RunAsync(static interpreter => interpreter);
        try
        {
            escaped.Run("1");
        }
        catch (InvalidOperationException refused)
        {
            Console.WriteLine(refused.Message);
        }

        Console.WriteLine($"From a thread that cannot await: {Block(pool)}.");
    }

    public static async Task RecycleAsync(Library library)
    {
        await using var pool = new WorkerPool<Interpreter>(
            new InterpreterPolicy(library),
            new WorkerPoolOptions
            {
                MaxWorkers = 1,
                MaxItemsPerState = 3,
                MaxStateLifetime = TimeSpan.FromHours(1),
                Name = "recycled",
            });
        for (var i = 0; i < 7; i++)
        {
            await pool.RunAsync(static interpreter => interpreter.Run("x = 1"));
        }

        await ProvokeAsync<FormatException>(pool.RunAsync(static interpreter => interpreter.Run("y")));
        await ProvokeAsync<InvalidCastException>(pool.RunAsync(static int (_) => throw new InvalidCastException()));
        await pool.DrainAsync();
        var statistics = pool.GetStatistics();
        Console.WriteLine($"{statistics.Rented} items, {statistics.Created} interpreters: "
            + $"{statistics.DestroyedFor(WorkerDestroyReason.MaxItems)} used by MaxItems, " +
            $"{statistics.DestroyedFor(WorkerDestroyReason.Tainted)} tainted by a failure.");
    }

    public static async Task ReloadAsync(Library library)
    {
        await using var pool =
            WorkerPool.Create(() => new Interpreter(library), new WorkerPoolOptions { MaxWorkers = 2, MinWorkers = 2 });
        await pool.WarmUpAsync(2);

        // snippet: workers-broadcast
        library.Rate = 7;
        var reloaded = await pool.BroadcastAsync(static interpreter => interpreter.Reload());
        // end snippet
        Console.WriteLine(
            $"{reloaded} interpreters reloaded; the rate is " +
            $"{await pool.RunAsync(static interpreter => interpreter.Run("rate"))}.");
    }

    private static int Block(WorkerPool<Interpreter> pool) => pool.Run(static interpreter => interpreter.Run("20 + 22"));

    private static async Task ProvokeAsync<TException>(ValueTask<int> failing)
        where TException : Exception
    {
        try
        {
            await failing;
        }
        catch (TException)
        {
            // That is the lesson.
        }
    }
}
