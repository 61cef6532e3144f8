using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

public sealed class OptionErrors
{
    [Fact]
    public void All_invalid_settings_are_named_at_once_with_value_and_range()
    {
        var options = new WorkerPoolOptions
        {
            MaxWorkers = 0,
            MinWorkers = -1,
            IdleTimeout = TimeSpan.Zero,
            QueueCapacity = 0,
            QueueFull = (QueueFullMode)7,
            Lanes = [new WorkLane(0), null!, new WorkLane(1_001, 0)],
            QueueTimeout = TimeSpan.FromSeconds(-2),
            RunTimeout = TimeSpan.Zero,
            MaxAbandonedWorkers = -1,
            StuckThreshold = TimeSpan.Zero,
            MaxItemsPerState = 0,
            MaxStateLifetime = TimeSpan.FromMilliseconds(999),
            LifetimeJitter = double.NaN,
            ThreadName = " ",
            Priority = (ThreadPriority)9,
            MaxStackSize = 131_071,
            ApartmentState = (ApartmentState)9,
            StopTimeout = TimeSpan.FromDays(50),
            Name = " ",
            TimeProvider = null!,
        };

        var error = Assert.Throws<ArgumentException>(() => WorkerPool.Create(options));

        Assert.Equal("options", error.ParamName);
        foreach (var part in new[]
        {
            "MaxWorkers is 0; allowed: 1 to 10,000.",
            "MinWorkers is -1; allowed: 0 to MaxWorkers.",
            "IdleTimeout is 00:00:00; allowed: 00:00:00.0010000 to",
            "QueueCapacity is 0; allowed: 1 or more.",
            "QueueFull is 7; allowed: Wait, Reject, CallerRuns, DropOldest or DropNewest.",
            "Lanes[0].Weight is 0; allowed: 1 to 1,000.",
            "Lanes[1] is null",
            "Lanes[2].Weight is 1001; allowed: 1 to 1,000.",
            "Lanes[2].Capacity is 0; allowed: null, or 1 or more.",
            "QueueTimeout is -00:00:02; allowed: 00:00:00 to",
            "RunTimeout is 00:00:00; allowed: 00:00:00.0010000 to",
            "MaxAbandonedWorkers is -1; allowed: null, or 0 to 10,000.",
            "StuckThreshold is 00:00:00; allowed: 00:00:00.0010000 to",
            "MaxItemsPerState is 0; allowed: 1 or more.",
            "MaxStateLifetime is 00:00:00.9990000; allowed: 00:00:01 to",
            "LifetimeJitter is NaN; allowed: 0 to 1.",
            "ThreadName is \" \"; allowed: null or not blank.",
            "Priority is 9; allowed: Lowest to Highest.",
            "MaxStackSize is 131071; allowed: 0, or 131,072 or more.",
            "ApartmentState is 9; allowed: Unknown, and on Windows STA and MTA.",
            "StopTimeout is 50.00:00:00; allowed: 00:00:00 to",
            "Name is \" \"; allowed: null or not blank.",
            "TimeProvider is null",
        })
        {
            Assert.Contains(part, error.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(0, 1, "MaxWorkers is 0; allowed: 1 to 10,000.")]
    [InlineData(2, 3, "MinWorkers is 3; allowed: 0 to MaxWorkers (2).")]
    public void One_invalid_limit_is_one_error_that_names_it(int max, int min, string expected)
    {
        var error = Assert.Throws<ArgumentException>(
            "options", () => WorkerPool.Create(new WorkerPoolOptions { MaxWorkers = max, MinWorkers = min }));

        Assert.Equal($"Invalid pool options. {expected} (Parameter 'options')", error.Message);
    }

    [Fact]
    public void There_are_at_most_64_lanes()
    {
        var options = new WorkerPoolOptions { MaxWorkers = 1, Lanes = [.. Enumerable.Repeat(new WorkLane(), 65)] };

        Assert.Contains(
            "Lanes.Count is 65; allowed: at most 64.", Assert.Throws<ArgumentException>(() => WorkerPool.Create(options)).Message,
            StringComparison.Ordinal);

        options.Lanes.RemoveAt(0);
        using var pool = WorkerPool.Create(options);
        Assert.Equal(64, pool.Run(static _ => 64, new WorkOptions { Lane = 63 }));
    }

    [Fact]
    public void No_lanes_at_all_is_an_error_too()
    {
        var options = new WorkerPoolOptions { MaxWorkers = 1, Lanes = null! };

        Assert.Contains(
            "Lanes is null", Assert.Throws<ArgumentException>(() => WorkerPool.Create(options)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Null_arguments_are_errors()
    {
        Assert.Throws<ArgumentNullException>(() => WorkerPool.Create(null!));
        Assert.Throws<ArgumentNullException>(() => WorkerPool.Create<Tool>(null!, new WorkerPoolOptions { MaxWorkers = 1 }));
        Assert.Throws<ArgumentNullException>(() => new WorkerPool<Tool>(null!, new WorkerPoolOptions { MaxWorkers = 1 }));
        Assert.Throws<ArgumentNullException>(() => new WorkerPool<Tool>(new ToolPolicy(), null!));
        using var bench = new WorkerBench();
        Assert.Throws<ArgumentNullException>(() => { _ = bench.RunAsync(null!); });
        Assert.Throws<ArgumentNullException>(() => bench.Pool.Run(null!));
        Assert.Throws<ArgumentNullException>(() => bench.Pool.TryPost(null!, 1));
        Assert.Throws<ArgumentNullException>(() => { _ = bench.Pool.PostAsync(null!, 1).AsTask(); });
    }

    [Fact]
    public void A_pool_copies_its_options()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 1;
        bench.Block();

        bench.Options.QueueCapacity = 2;
        bench.Options.MaxWorkers = 2;
        bench.Options.Lanes.Add(new WorkLane(1, 5));

        Assert.True(bench.Pool.TryPost<object?>(static (_, _) => { }, null));
        Assert.False(bench.Pool.TryPost<object?>(static (_, _) => { }, null));
        Assert.Equal((1, 1), (bench.Now.MaxWorkers, bench.Now.Workers));
    }
}
