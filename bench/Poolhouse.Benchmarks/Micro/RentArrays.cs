using System.Buffers;
using BenchmarkDotNet.Attributes;

namespace Poolhouse.Benchmarks.Micro;

/// <summary>Arrays rented one inside the other.</summary>
[MemoryDiagnoser]
public class RentArrays
{
    private readonly ArrayPool<byte> _created = ArrayPool<byte>.Create();
    private readonly TieredArrayPool<byte> _tiered = new();
    private byte[][] _held = null!;

    /// <summary>How many arrays are out at once.</summary>
    [Params(1, 2, 4, 8)]
    public int Depth { get; set; }

    /// <summary>Makes room for the arrays.</summary>
    [GlobalSetup]
    public void Setup() => _held = new byte[Depth][];

    /// <summary>The rival.</summary>
    [Benchmark(Baseline = true)]
    public void Shared() => RentAll(ArrayPool<byte>.Shared);

    /// <summary>Ours.</summary>
    [Benchmark]
    public void TieredShared() => RentAll(TieredArrayPool<byte>.Shared);

    /// <summary>A private pool of .NET.</summary>
    [Benchmark]
    public void Created() => RentAll(_created);

    /// <summary>A private pool of ours.</summary>
    [Benchmark]
    public void Tiered() => RentAll(_tiered);

    private void RentAll(ArrayPool<byte> pool)
    {
        for (var i = 0; i < _held.Length; i++)
        {
            _held[i] = pool.Rent(4096);
        }

        foreach (var array in _held)
        {
            pool.Return(array);
        }
    }
}
