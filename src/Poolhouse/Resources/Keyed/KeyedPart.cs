using Poolhouse.Resources.Engine.Capacity;

namespace Poolhouse.Resources.Keyed;

/// <summary>The pool of one key, and whether the key is still in use.</summary>
internal sealed class KeyedPart<TKey, T>(
    KeyTable<TKey, KeyedPart<TKey, T>>.Tag tag, ResourcePool<T> pool, SharedCapacity<T>.Member share)
    where TKey : notnull
    where T : notnull
{
    private long _unusedSince;
    private long _rentedWhenUnused = -1;
    private bool _wasInUse;

    /// <summary>The tag under which the part is stored.</summary>
    public KeyTable<TKey, KeyedPart<TKey, T>>.Tag Tag { get; } = tag;

    public ResourcePool<T> Pool { get; } = pool;

    public SharedCapacity<T>.Member Share { get; } = share;

    /// <summary>
    /// When the key was first seen without items, callers and new rents; now, if it has any. Called by the periodic check only.
    /// </summary>
    public long UnusedSince(long now)
    {
        var statistics = Pool.GetStatistics();
        var isInUse = statistics.Live > 0 || statistics.Waiting > 0;

        // The use that the last check saw may have ended just now.
        if (isInUse || _wasInUse || statistics.Rented != _rentedWhenUnused)
        {
            _rentedWhenUnused = statistics.Rented;
            _unusedSince = now;
        }

        _wasInUse = isInUse;
        return _unusedSince;
    }
}
