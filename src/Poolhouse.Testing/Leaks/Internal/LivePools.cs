using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Kernel;

namespace Poolhouse.Testing.Leaks;

/// <summary>The pools that were created while leases were tracked, and not disposed. Thread safe.</summary>
// Pools are held weakly: an unused one is garbage, and its record remains.
internal static class LivePools
{
    private static readonly ConditionalWeakTable<IPool, Record> _records = [];
    private static readonly ConcurrentDictionary<Record, bool> _notDisposed = new();

    /// <summary>Their records, including those of pools that are garbage by now.</summary>
    public static IReadOnlyCollection<Record> NotDisposed => (IReadOnlyCollection<Record>)_notDisposed.Keys;

    public static void Add(IPool pool)
    {
        if (!_records.TryGetValue(pool, out _))
        {
            var record = new Record(pool.Name, new StackTrace(fNeedFileInfo: true), TimeProvider.System.GetTimestamp());
            _records.AddOrUpdate(pool, record);
            _notDisposed.TryAdd(record, true);
        }
    }

    /// <summary>For a pool that is disposed, or belongs to the whole process and is never disposed.</summary>
    public static void Remove(IPool pool)
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
