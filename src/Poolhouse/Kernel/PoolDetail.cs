using System.Numerics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel;

/// <summary>Histograms of the times of one pool, kept while a diagnostic session shows that pool in detail.</summary>
// The counts are incremented without a lock and without an atomic instruction: one that is lost when two threads count at the
// same moment does not change the shape of a histogram, and the totals of the pool are exact.
internal sealed class PoolDetail
{
    private const int Powers = 64;

    private static ConditionalWeakTable<IPool, PoolDetail>? _current;

    /// <summary>Whether any pool is shown in detail.</summary>
    public static bool IsOn => Volatile.Read(ref _current) is not null;

    /// <summary>The number of waits by the binary logarithm of their duration in ticks of <see cref="TimeSpan"/>.</summary>
    public long[] Waits { get; } = new long[Powers];

    /// <summary>The number of uses, in the same way.</summary>
    public long[] Uses { get; } = new long[Powers];

    /// <summary>The detail of a pool; null if none is kept.</summary>
    public static PoolDetail? Of(IPool pool) =>
        Volatile.Read(ref _current) is { } current && current.TryGetValue(pool, out var detail) ? detail : null;

    /// <summary>Has the pools count for these details, and for no others.</summary>
    public static void Keep(ConditionalWeakTable<IPool, PoolDetail> details) => Volatile.Write(ref _current, details);

    /// <summary>Ends that, unless others have taken their place.</summary>
    public static void End(ConditionalWeakTable<IPool, PoolDetail> details) =>
        Interlocked.CompareExchange(ref _current, null, details);

    public static void Count(long[] histogram, TimeSpan time) => histogram[BitOperations.Log2((ulong)time.Ticks | 1)]++;
}
