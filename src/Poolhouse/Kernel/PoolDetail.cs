using System.Numerics;

namespace Poolhouse.Kernel;

/// <summary>Histograms of the times of one pool, kept while a diagnostic session shows that pool in detail.</summary>
// The counts are incremented without a lock and without an atomic instruction: one that is lost when two threads count at the
// same moment does not change the shape of a histogram, and the totals of the pool are exact.
internal sealed class PoolDetail(IPool pool, PoolDetail? next)
{
    private const int Powers = 64;

    private static PoolDetail? _current;

    private readonly IPool _pool = pool;
    private readonly PoolDetail? _next = next;

    /// <summary>Whether any pool is shown in detail.</summary>
    public static bool IsOn => Volatile.Read(ref _current) is not null;

    /// <summary>The number of waits by the binary logarithm of their duration in ticks of <see cref="TimeSpan"/>.</summary>
    public long[] Waits { get; } = new long[Powers];

    /// <summary>The number of uses, in the same way.</summary>
    public long[] Uses { get; } = new long[Powers];

    /// <summary>The detail of a pool for which the pools count now; null if there is none.</summary>
    public static PoolDetail? Of(IPool pool) => Find(Volatile.Read(ref _current), pool);

    /// <summary>The detail of a pool in a list; null if there is none.</summary>
    // Few pools are shown in detail: a list is faster than a table, and every rent searches it.
    public static PoolDetail? Find(PoolDetail? detail, IPool pool)
    {
        while (detail is not null && detail._pool != pool)
        {
            detail = detail._next;
        }

        return detail;
    }

    /// <summary>Has the pools count for these details, and for no others.</summary>
    public static void Keep(PoolDetail first) => Volatile.Write(ref _current, first);

    /// <summary>Ends that, unless others have taken their place.</summary>
    public static void End(PoolDetail? first) => Interlocked.CompareExchange(ref _current, null, first);

    public static void Count(long[] histogram, TimeSpan time) => histogram[BitOperations.Log2((ulong)time.Ticks | 1)]++;
}
