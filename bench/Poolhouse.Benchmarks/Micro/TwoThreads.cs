using BenchmarkDotNet.Attributes;
using Poolhouse.Benchmarks.Bars;

namespace Poolhouse.Benchmarks.Micro;

/// <summary>Two threads on one pool: each does all operations, so a pool that scales takes as long as with one thread.</summary>
public class TwoThreads
{
    private const int Calls = 100;
    private const int Pairs = Calls * Timing.PairsPerCall;

    /// <summary>The rival of the object pool.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Pairs)]
    public double DefaultObjectPool() => Timing.NanosecondsPerPair<DefaultPair>(threads: 2, Calls);

    /// <summary>Our object pool.</summary>
    [Benchmark(OperationsPerInvoke = Pairs)]
    public double TieredObjectPool() => Timing.NanosecondsPerPair<TieredPair>(threads: 2, Calls);

    /// <summary>A private array pool of .NET.</summary>
    [Benchmark(OperationsPerInvoke = Pairs)]
    public double CreatedArrayPool() => Timing.NanosecondsPerPair<CreatedArray>(threads: 2, Calls);

    /// <summary>A private array pool of ours.</summary>
    [Benchmark(OperationsPerInvoke = Pairs)]
    public double TieredArrayPool() => Timing.NanosecondsPerPair<PrivateTieredArray>(threads: 2, Calls);
}
