using BenchmarkDotNet.Attributes;
using Poolhouse.Benchmarks.Bars;

namespace Poolhouse.Benchmarks.Micro;

/// <summary>One thread rents, another returns.</summary>
public class HandingOver
{
    private const int Calls = 40;
    private const int Items = Calls * Timing.PairsPerCall;

    /// <summary>The rival.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public double DefaultObjectPool() => HandOver.NanosecondsPerItem(Pools.Default, Calls);

    /// <summary>Ours.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public double Tiered() => HandOver.NanosecondsPerItem(Pools.Tiered, Calls);
}
