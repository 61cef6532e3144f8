using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel.Misuse;

/// <summary>The pools of the process that were not disposed. Thread safe.</summary>
// Pools are held weakly: an unused one is garbage. Only while leases are tracked, a record remains of each pool that was
// not disposed.
internal static class LivePools
{
    private static readonly WeakSet<IPool> _pools = new();
    private static readonly ConditionalWeakTable<IPool, Record> _records = [];
    private static readonly ConcurrentDictionary<Record, bool> _notDisposed = new();

    public static IReadOnlyList<IPool> ToList() => _pools.ToList();

    /// <summary>The pools created while leases were tracked, and not disposed, including those that are garbage by now.</summary>
    public static IReadOnlyCollection<Record> NotDisposed => (IReadOnlyCollection<Record>)_notDisposed.Keys;

    public static void Add(IPool pool)
    {
        _pools.Add(pool);
        if (LeaseTracking.IsOn && !_records.TryGetValue(pool, out _))
        {
            var record = new Record(pool.Name, new StackTrace(fNeedFileInfo: true), TimeProvider.System.GetTimestamp());
            _records.AddOrUpdate(pool, record);
            _notDisposed.TryAdd(record, true);
        }
    }

    public static void Remove(IPool pool)
    {
        _pools.Remove(pool);
        Exempt(pool);
        if (LeaseTracking.IsOn)
        {
            var scopes = pool.GetLeases(int.MaxValue).Select(static lease => lease.Scope).OfType<ILeaseScope>();
            foreach (var scope in scopes.Distinct())
            {
                scope.OnDisposed(pool);
            }
        }
    }

    /// <summary>For a pool that belongs to the whole process, and is never disposed.</summary>
    public static void Exempt(IPool pool)
    {
        if (_records.TryGetValue(pool, out var record))
        {
            _notDisposed.TryRemove(record, out _);
        }
    }

    /// <summary>What is known of a pool that may be garbage.</summary>
    internal sealed class Record(string name, StackTrace stack, long createdAt)
    {
        public string Name => name;

        public StackTrace Site => CallerFrames.Of(stack);

        public TimeSpan Age => TimeProvider.System.GetElapsedTime(createdAt);
    }
}
