namespace Poolhouse;

/// <summary>The settings of a keyed resource pool.</summary>
/// <typeparam name="TKey">The type of the key.</typeparam>
/// <remarks>A pool copies its options; changing them later has no effect on it. Not thread safe.</remarks>
public sealed class KeyedResourcePoolOptions<TKey> : IPoolSettings<KeyedResourcePoolOptions<TKey>>
    where TKey : notnull
{
    /// <summary>The maximum number of items alive at once, over all keys together.</summary>
    /// <value>Required; 1 to 1,000,000.</value>
    public required int MaxSize { get; set; }

    /// <summary>The settings for each key; its <see cref="ResourcePoolOptions.MaxSize"/> is the capacity of one key.</summary>
    /// <value>Required; not null. Its name, time provider and meter are those of the whole pool.</value>
    public required ResourcePoolOptions Pool { get; set; }

    /// <summary>How long a key may have neither items nor callers before the pool forgets it.</summary>
    /// <value>10 minutes by default; at least 1 second, or <see cref="Timeout.InfiniteTimeSpan"/> for never.</value>
    /// <remarks>
    /// Idle items of the key are destroyed first, by <see cref="ResourcePoolOptions.IdleTimeout"/>. A key with a MinIdle keeps
    /// items and is therefore never forgotten.
    /// </remarks>
    public TimeSpan KeyIdleTimeout { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>Determines when two keys are equal.</summary>
    /// <value>
    /// <c>null</c> by default, which uses the key's own Equals. Use a record that holds everything an item's identity depends on:
    /// address, user, credentials, tenant, security settings.
    /// </value>
    public IEqualityComparer<TKey>? KeyComparer { get; set; }

    KeyedResourcePoolOptions<TKey> IPoolSettings<KeyedResourcePoolOptions<TKey>>.CopyOver(KeyedResourcePoolOptions<TKey>? current)
    {
        var copy = (KeyedResourcePoolOptions<TKey>)MemberwiseClone();
        copy.Pool = Pool.CopyOver(current?.Pool);
        return copy;
    }

    void IPoolSettings<KeyedResourcePoolOptions<TKey>>.ValidateChange(
        PoolOptionErrors errors, string prefix, KeyedResourcePoolOptions<TKey> current)
    {
        errors.CheckSame(KeyComparer, prefix + nameof(KeyComparer), current.KeyComparer);
        Pool?.ValidateChange(errors, prefix + "Pool.", current.Pool);
    }

    void IPoolSettings<KeyedResourcePoolOptions<TKey>>.Validate(PoolOptionErrors errors, string prefix)
    {
        errors.CheckRange(MaxSize, prefix + nameof(MaxSize), 1, ResourcePoolOptions.LargestMaxSize);
        errors.CheckDuration(KeyIdleTimeout, prefix + nameof(KeyIdleTimeout), TimeSpan.FromSeconds(1));
        errors.CheckNotNull(Pool, prefix + nameof(Pool));
        Pool?.Validate(errors, prefix + "Pool.");
    }
}
