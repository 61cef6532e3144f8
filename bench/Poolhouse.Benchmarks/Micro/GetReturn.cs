using BenchmarkDotNet.Attributes;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Benchmarks.Bars;

namespace Poolhouse.Benchmarks.Micro;

/// <summary>One short rental.</summary>
[MemoryDiagnoser]
public class GetReturn
{
    private readonly DefaultObjectPool<Thing> _default = new(new DefaultPooledObjectPolicy<Thing>(), 1024);
    private readonly TieredObjectPool<Thing> _tiered = new(new DefaultPooledObjectPolicy<Thing>());
    private readonly TieredObjectPool<Thing, ThingPolicy> _inlined = new();

    /// <summary>The rival.</summary>
    [Benchmark(Baseline = true)]
    public void DefaultObjectPool() => _default.Return(_default.Get());

    /// <summary>The drop-in pair.</summary>
    [Benchmark]
    public void Tiered() => _tiered.Return(_tiered.Get());

    /// <summary>The drop-in pair with a policy that is compiled in.</summary>
    [Benchmark]
    public void TieredStructPolicy() => _inlined.Return(_inlined.Get());

    /// <summary>The guarded rent.</summary>
    [Benchmark]
    public void TieredLease() => _tiered.Rent().Dispose();

    /// <summary>A policy as a struct.</summary>
    private readonly struct ThingPolicy : IPooledObjectPolicy<Thing>
    {
        public Thing Create() => new();

        public bool Return(Thing obj) => true;
    }
}
