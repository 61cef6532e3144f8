using System.Numerics;

namespace Poolhouse.Kernel;

/// <summary>Histograms of the times of one pool, kept while a diagnostic session shows that pool in detail.</summary>
// The counts are incremented without a lock and without an atomic instruction: one that is lost when two threads count at the
// same moment does not change the shape of a histogram, and the totals of the pool are exact.
internal sealed class PoolDetail
{
    private const int Powers = 64;

    private static PoolDetail? _first;

    private readonly IPool _pool;
    private readonly PoolDetail? _next;

    private PoolDetail(IPool pool, PoolDetail? next) => (_pool, _next) = (pool, next);

    /// <summary>Whether any pool is shown in detail.</summary>
    public static bool IsOn => Volatile.Read(ref _first) is not null;

    /// <summary>The number of waits by the binary logarithm of their duration in ticks of <see cref="TimeSpan"/>.</summary>
    public long[] Waits { get; } = new long[Powers];

    /// <summary>The number of uses, in the same way.</summary>
    public long[] Uses { get; } = new long[Powers];

    /// <summary>The detail of a pool; null if none is kept.</summary>
    public static PoolDetail? Of(IPool pool)
    {
        var detail = Volatile.Read(ref _first);
        while (detail is not null && detail._pool != pool)
        {
            detail = detail._next;
        }

        return detail;
    }

    /// <summary>Begins to keep the detail of a pool. Called by one thread at a time.</summary>
    public static PoolDetail Begin(IPool pool)
    {
        var detail = new PoolDetail(pool, Volatile.Read(ref _first));
        Volatile.Write(ref _first, detail);
        return detail;
    }

    public static void EndAll() => Volatile.Write(ref _first, null);

    public static void Count(long[] histogram, TimeSpan time) => histogram[BitOperations.Log2((ulong)time.Ticks | 1)]++;
}
