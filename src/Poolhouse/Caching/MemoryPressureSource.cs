using Poolhouse.Caching;

namespace Poolhouse;

/// <summary>Notifies pools when memory is low.</summary>
/// <remarks>
/// <para>Every pool subscribes to the source in its options, through a weak reference. All members are thread safe.</para>
/// <para>
/// <see cref="GarbageCollector"/> checks the memory load of the process after each gen-2 collection: from 70 % of the collector's
/// own high-load threshold the pressure is medium, from 90 % it is high. These are the levels at which the array pool of .NET
/// trims (dotnet/runtime, <c>System.Buffers.Utilities</c>).
/// </para>
/// <para>
/// Create a custom source if better information is available, such as a container's limit or an operator's command, or for tests.
/// </para>
/// </remarks>
public class MemoryPressureSource
{
    private readonly WeakSet<CacheEngine> _pools = new();

    /// <summary>The source that follows the garbage collector. It is the default of every pool.</summary>
    public static MemoryPressureSource GarbageCollector { get; } = new GarbageCollectorPressureSource();

    /// <summary>Applies the pressure to every subscribed pool, on the calling thread.</summary>
    /// <param name="pressure">How scarce memory is. <see cref="MemoryPressure.Low"/> has no effect.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The value is not a defined value of <see cref="MemoryPressure"/>.
    /// </exception>
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
