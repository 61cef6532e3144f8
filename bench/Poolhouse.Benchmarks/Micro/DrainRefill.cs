using BenchmarkDotNet.Attributes;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Benchmarks.Bars;

namespace Poolhouse.Benchmarks.Micro;

/// <summary>Long rentals: many items out at once, as after a burst (the scenario of dotnet/aspnetcore #45251).</summary>
[MemoryDiagnoser]
public class DrainRefill
{
    private DefaultObjectPool<Thing> _default = null!;
    private TieredObjectPool<Thing> _tiered = null!;
    private Thing[] _held = null!;

    /// <summary>How many items are out at once, and the bound.</summary>
    [Params(8, 16, 64, 256, 1024, 2048)]
    public int Count { get; set; }

    /// <summary>Makes pools with room for all.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _default = new DefaultObjectPool<Thing>(new DefaultPooledObjectPolicy<Thing>(), Count);
        _tiered =
            new TieredObjectPool<Thing>(new DefaultPooledObjectPolicy<Thing>(), new ObjectPoolOptions { MaxRetained = Count });
        _held = new Thing[Count];
    }

    /// <summary>The rival.</summary>
    [Benchmark(Baseline = true)]
    public void DefaultObjectPool()
    {
        for (var i = 0; i < _held.Length; i++)
        {
            _held[i] = _default.Get();
        }

        foreach (var thing in _held)
        {
            _default.Return(thing);
        }
    }

    /// <summary>Ours.</summary>
    [Benchmark]
    public void Tiered()
    {
        for (var i = 0; i < _held.Length; i++)
        {
            _held[i] = _tiered.Get();
        }

        foreach (var thing in _held)
        {
            _tiered.Return(thing);
        }
    }
}
