using Poolhouse.Caching;
using Poolhouse.Kernel;

namespace Poolhouse;

/// <summary>Tells pools that memory runs short.</summary>
/// <remarks>
/// <para>Every pool listens to the source in its options, held weakly. All members are thread safe.</para>
/// <para>
/// <see cref="GarbageCollector"/> looks at the process's memory load after each gen-2 collection: from 70 % of the collector's own
/// high-load threshold the pressure is medium, from 90 % it is high. These are the levels at which the array pool of .NET trims
/// (dotnet/runtime, <c>System.Buffers.Utilities</c>).
/// </para>
/// <para>Make a source of your own where something knows better: a container's limit, an operator's button, a test.</para>
/// </remarks>
public class MemoryPressureSource
{
    private readonly WeakSet<CacheEngine> _pools = new();

    /// <summary>The source that follows the garbage collector: the default of every pool.</summary>
    public static MemoryPressureSource GarbageCollector { get; } = new GarbageCollectorPressureSource();

    /// <summary>Makes every listening pool act on the pressure, on the calling thread.</summary>
    /// <param name="pressure">How short memory is; at <see cref="MemoryPressure.Low"/> nothing happens.</param>
    /// <exception cref="ArgumentOutOfRangeException">The value is not one of <see cref="MemoryPressure"/>.</exception>
    public void Report(MemoryPressure pressure)
    {
        if (!Enum.IsDefined(pressure))
        {
            throw new ArgumentOutOfRangeException(nameof(pressure), pressure, "Allowed: Low, Medium, High.");
        }

        if (pressure == MemoryPressure.Low)
        {
            return;
        }

        foreach (var pool in _pools.ToList())
        {
            pool.OnPressure(pressure);
        }
    }

    internal virtual void Add(CacheEngine pool) => _pools.Add(pool);

    internal void Remove(CacheEngine pool) => _pools.Remove(pool);
}
