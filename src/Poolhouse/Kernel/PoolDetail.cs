using System.Numerics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel;

/// <summary>Histograms of the times of one pool, kept while a diagnostic session shows that pool in detail.</summary>
// The counts are incremented without a lock and without an atomic instruction: one that is lost when two threads count at the
// same moment does not change the shape of a histogram, and the totals of the pool are exact.
internal sealed class PoolDetail
{
    private const int Powers = 64;

    private static ConditionalWeakTable<IPool, PoolDetail>? _all;

    /// <summary>Whether any pool is shown in detail.</summary>
    public static bool IsOn => Volatile.Read(ref _all) is not null;

    /// <summary>The number of waits by the binary logarithm of their duration in ticks of <see cref="TimeSpan"/>.</summary>
    public long[] Waits { get; } = new long[Powers];

    /// <summary>The number of uses, in the same way.</summary>
    public long[] Uses { get; } = new long[Powers];

    /// <summary>The detail of a pool; null if none is kept.</summary>
    public static PoolDetail? Of(IPool pool) =>
        Volatile.Read(ref _all) is { } all && all.TryGetValue(pool, out var detail) ? detail : null;

    /// <summary>Begins to keep the detail of a pool. Called by one thread at a time.</summary>
    public static PoolDetail Begin(IPool pool)
    {
        var all = Volatile.Read(ref _all) ?? [];
        var detail = all.GetOrAdd(pool, new PoolDetail());
        Volatile.Write(ref _all, all);
        return detail;
    }

    public static void EndAll() => Volatile.Write(ref _all, null);

    public static void Count(long[] histogram, TimeSpan time) => histogram[BitOperations.Log2((ulong)time.Ticks | 1)]++;
}
