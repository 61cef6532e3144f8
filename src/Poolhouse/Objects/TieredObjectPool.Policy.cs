using System.Diagnostics;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Caching.Threads;
using Poolhouse.Objects;

namespace Poolhouse;

/// <summary>A <see cref="TieredObjectPool{T}"/> with a policy whose calls the JIT can inline.</summary>
/// <typeparam name="T">The type of the items.</typeparam>
/// <typeparam name="TPolicy">A struct that creates and resets items; its calls need no virtual dispatch.</typeparam>
/// <remarks>In all other respects it behaves like <see cref="TieredObjectPool{T}"/>. All members are thread safe.</remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(PoolDebugView))]
public sealed class TieredObjectPool<T, TPolicy> : ObjectPool<T>, IPool, IDisposable
    where T : class
    where TPolicy : struct, IPooledObjectPolicy<T>
{
    private readonly ObjectCache<T, TPolicy> _cache;
    private ThreadStack?[] _stacks = [];

    /// <summary>Creates a pool.</summary>
    /// <param name="policy">Creates and resets items. The pool keeps a copy.</param>
    /// <param name="options">The settings; <c>null</c> for the defaults.</param>
    /// <exception cref="ArgumentException">Some options are out of range; the message names each one.</exception>
    public TieredObjectPool(TPolicy policy = default, ObjectPoolOptions? options = null) =>
        _cache = new ObjectCache<T, TPolicy>(
            policy, resets: true, (options ?? new ObjectPoolOptions()).Freeze<ObjectPoolOptions>());

    /// <inheritdoc/>
    public string Name => _cache.Name;

    /// <summary>The maximum number of items the pool retains.</summary>
    public int MaxRetained => _cache.MaxRetained;

    /// <inheritdoc cref="TieredObjectPool{T}.Get"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override T Get()
    {
        var own = ThreadStack.Find(ThreadIndex.Current, _stacks);
        return Unsafe.As<T>(own?.TryPop()) ?? GetSlow(own);
    }

    /// <inheritdoc cref="TieredObjectPool{T}.Return"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Return(T obj)
    {
        ArgumentNullException.ThrowIfNull(obj);
        if (!_cache.TryReset(obj))
        {
            return;
        }

        var own = ThreadStack.Find(ThreadIndex.Current, _stacks);
        if (own is null || !own.TryPush(obj))
        {
            ReturnSlow(own, obj);
        }
    }

    /// <inheritdoc cref="TieredObjectPool{T}.Rent"/>
    public Lease<T> Rent() => _cache.Rent();

    /// <inheritdoc cref="TieredObjectPool{T}.Prefill"/>
    public int Prefill(int count) => _cache.Prefill(count);

    /// <inheritdoc/>
    public int Trim() => _cache.Trim();

    /// <summary>Reads the pool's counters.</summary>
    /// <returns>An immutable snapshot.</returns>
    public CachePoolStatistics GetStatistics() => _cache.GetStatistics();

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <inheritdoc/>
    /// <remarks>Empty unless the pool is in paranoid mode; see <see cref="CacheOptions.Paranoid"/>.</remarks>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _cache.GetLeases(max);

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => GetStatistics().Summarize(Name);

    /// <inheritdoc cref="TieredObjectPool{T}.Dispose"/>
    public void Dispose() => _cache.Dispose();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private T GetSlow(ThreadStack? own) => _cache.GetSlow(own ?? AddOwn());

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ReturnSlow(ThreadStack? own, T item) => _cache.ReturnSlow(own ?? AddOwn(), item);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ThreadStack AddOwn()
    {
        var own = _cache.Own();
        _stacks = _cache.Table;
        return own;
    }
}
