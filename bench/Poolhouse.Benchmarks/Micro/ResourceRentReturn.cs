using BenchmarkDotNet.Attributes;
using Poolhouse.Benchmarks.Bars;

namespace Poolhouse.Benchmarks.Micro;

/// <summary>One short rental of an idle resource, asynchronous and not.</summary>
[MemoryDiagnoser]
public class ResourceRentReturn
{
    private const int Pairs = Timing.PairsPerCall;

    /// <summary>The cost of the semaphore of any home-made pool.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Pairs)]
    public void Semaphore() => SemaphorePair.Run(Pairs);

    /// <summary>The same, asynchronous.</summary>
    [Benchmark(OperationsPerInvoke = Pairs)]
    public void SemaphoreAwaited() => SemaphorePairAsync.Run(Pairs);

    /// <summary>The rival.</summary>
    [Benchmark(OperationsPerInvoke = Pairs)]
    public void Channel() => ChannelPair.Run(Pairs);

    /// <summary>The rival, asynchronous.</summary>
    [Benchmark(OperationsPerInvoke = Pairs)]
    public void ChannelAwaited() => ChannelPairAsync.Run(Pairs);

    /// <summary>Ours.</summary>
    [Benchmark(OperationsPerInvoke = Pairs)]
    public void ResourcePool() => ResourcePair.Run(Pairs);

    /// <summary>Ours, asynchronous.</summary>
    [Benchmark(OperationsPerInvoke = Pairs)]
    public void ResourcePoolAwaited() => ResourcePairAsync.Run(Pairs);

    /// <summary>Ours, with a second thread on the same pool.</summary>
    [Benchmark(OperationsPerInvoke = Pairs)]
    public double ResourcePoolTwoThreads() => Timing.NanosecondsPerPair<ResourcePair>(threads: 2, calls: 1);
}
