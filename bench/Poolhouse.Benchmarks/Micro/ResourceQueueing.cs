using BenchmarkDotNet.Attributes;
using Poolhouse.Benchmarks.Bars;

namespace Poolhouse.Benchmarks.Micro;

/// <summary>Eight asynchronous callers share two resources, and nearly every rent waits; see <see cref="Queueing"/>.</summary>
[MemoryDiagnoser]
public class ResourceQueueing
{
    private const int Calls = 20;
    private const int Rents = Calls * Timing.PairsPerCall;

    /// <summary>The rival.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Rents)]
    public double Channel() => Queueing.NanosecondsPerRent<Queueing.Channel, Thing>(Calls);

    /// <summary>The other rival at its best.</summary>
    [Benchmark(OperationsPerInvoke = Rents)]
    public double HomeMade() => Queueing.NanosecondsPerRent<Queueing.HomeMade, Thing>(Calls);

    /// <summary>The other rival with a time limit.</summary>
    [Benchmark(OperationsPerInvoke = Rents)]
    public double HomeMadeWithLimit() => Queueing.NanosecondsPerRent<Queueing.HomeMadeWithLimit, Thing>(Calls);

    /// <summary>Ours.</summary>
    [Benchmark(OperationsPerInvoke = Rents)]
    public double ResourcePool() => Queueing.NanosecondsPerRent<Queueing.Poolhouse, Lease<Thing>>(Calls);
}
