using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Tests;

/// <summary>Measurements with made-up figures, and calls with real ones.</summary>
internal static class Samples
{
    public static Measurement Measurement(
        string rival, double nanoseconds, int threads = 1, string experiment = "sample", string scenario = "",
        params long[] parameters) => new()
        {
            Experiment = experiment,
            Scenario = scenario,
            Rival = rival,
            Threads = threads,
            Parameters = parameters,
            Nanoseconds = nanoseconds,
            Fastest = nanoseconds * 0.9,
            Slowest = nanoseconds * 1.1,
            BytesPerOperation = 12.5,
            Rounds = 5,
            OperationsPerRound = 1000,
            InputBytes = 0,
            Gen0 = 3,
            Gen1 = 2,
            Gen2 = 1,
            PauseMilliseconds = 0.25,
        };

    /// <summary>What one call of a contender returns.</summary>
    public static long SumOf(Contender contender)
    {
        contender.Start(1);
        contender.BeforeRound();
        contender.Work(0, 1);
        contender.Stop();
        return contender.Sum;
    }

    public static Machine Machine() => new()
    {
        Date = new DateTimeOffset(2026, 11, 21, 9, 0, 0, TimeSpan.Zero),
        Cpu = "Test <CPU> & Co",
        Cores = 2,
        System = "an operating system",
        Runtime = ".NET 10",
        GarbageCollector = "workstation, concurrent",
        PoolhouseVersion = "0.1.0",
        ObjectPoolVersion = "10.0.0",
        Command = "poolhouse bench --quick",
        IsDebugBuild = false,
    };
}
