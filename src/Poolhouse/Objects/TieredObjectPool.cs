using System.Diagnostics;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Caching.Threads;
using Poolhouse.Objects;

namespace Poolhouse;

/// <summary>A cache of objects that scales with threads: a drop-in <see cref="ObjectPool{T}"/>.</summary>
/// <typeparam name="T">The type of the items.</typeparam>
/// <remarks>
/// <para>
/// Each thread works on a small stack of its own without interlocked instructions; a stack that runs empty or full exchanges a
/// batch with a depot shared by all threads. <see cref="ObjectPoolOptions.MaxRetained"/> bounds the total at every instant.
/// </para>
/// <para>
/// A rent never waits and never fails because no item is available: it creates one. <see cref="Get"/> and <see cref="Return"/>
/// are the fast, unguarded pair; <see cref="Rent"/> returns a lease that cannot be returned twice. Do not mix the two for the
/// same item.
/// </para>
/// <para>All members are thread safe.</para>
/// <para>
/// <see cref="Dispose"/> disposes the retained items. After that, renting throws, and a returned item is disposed immediately;
/// leased items stay valid until they are returned. Items that implement <see cref="IDisposable"/> or
/// <see cref="IAsyncDisposable"/> are disposed when they leave the pool, exactly once provided that they are returned once;
/// exceptions from their disposal are counted in <see cref="CachePoolStatistics.DestroyFailures"/>.
/// </para>
/// <para>Algorithm: magazines and depots, J. Bonwick and J. Adams, <i>Magazines and Vmem</i>, USENIX 2001.</para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(PoolDebugView))]
public sealed class TieredObjectPool<T> : ObjectPool<T>, IPool, IDisposable
    where T : class
{
    private readonly ObjectCache<T, InterfacePolicy<T>> _cache;
    private ThreadStack?[] _stacks = [];
    private readonly bool _resets;

    /// <summary>Creates a pool from delegates.</summary>
    /// <param name="create">Creates an item; called on the renting thread when none is retained. Must not return null.</param>
    /// <param name="reset">
    /// Prepares a returned item for the next user and returns whether it may be reused. If <c>null</c>, every item is reused as
    /// it is. If it throws, the item is destroyed and the exception propagates to the caller that returned the item.
    /// </param>
    /// <param name="options">The settings; <c>null</c> for the defaults.</param>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> is null.</exception>
    /// <exception cref="ArgumentException">Some options are out of range; the message names each one.</exception>
    public TieredObjectPool(Func<T> create, Func<T, bool>? reset = null, ObjectPoolOptions? options = null)
        : this(new DelegatePolicy<T>(create ?? throw new ArgumentNullException(nameof(create)), reset), options)
    {
    }

    /// <summary>Creates a pool from a policy as used by ASP.NET Core and its libraries.</summary>
    /// <param name="policy">
    /// Creates and resets items. <see cref="DefaultPooledObjectPolicy{T}"/> calls the parameterless constructor, and
    /// <see cref="IResettable.TryReset"/> if the item implements it.
    /// </param>
    /// <param name="options">The settings; <c>null</c> for the defaults.</param>
    /// <exception cref="ArgumentNullException"><paramref name="policy"/> is null.</exception>
    /// <exception cref="ArgumentException">Some options are out of range; the message names each one.</exception>
    public TieredObjectPool(IPooledObjectPolicy<T> policy, ObjectPoolOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(policy);
        var settings = (options ?? new ObjectPoolOptions()).Freeze<ObjectPoolOptions>();
        var checks = settings.ParanoidSetting.IsOn ? new CheckingPolicy<T>(policy) : null;
        _resets = checks is not null || InterfacePolicy<T>.Resets(policy);
        _cache = new ObjectCache<T, InterfacePolicy<T>>(
            new InterfacePolicy<T>(checks ?? policy), _resets, settings, checksFirst: checks is not null);
        checks?.Check(_cache.TryBeginReturn);
    }

    /// <inheritdoc/>
    public string Name => _cache.Name;

    /// <summary>The maximum number of items the pool retains.</summary>
    public int MaxRetained => _cache.MaxRetained;

    /// <summary>Rents an item without a lease.</summary>
    /// <returns>A retained item, or a new one.</returns>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    /// <exception cref="InvalidOperationException">The policy created null.</exception>
    /// <remarks>
    /// An exception thrown by the policy's create reaches the caller unchanged and does not reduce the pool's capacity.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override T Get()
    {
        var own = ThreadStack.Find(ThreadIndex.Current, _stacks);
        return Unsafe.As<T>(own?.TryPop()) ?? GetSlow(own);
    }

    /// <summary>Returns an item rented with <see cref="Get"/>.</summary>
    /// <param name="obj">The item; the caller must not use it any longer.</param>
    /// <exception cref="ArgumentNullException"><paramref name="obj"/> is null.</exception>
    /// <exception cref="PoolMisuseException">The item must not be returned, and the pool is in paranoid mode; see
    /// <see cref="ParanoidMode.Throw"/>.</exception>
    /// <remarks>
    /// If the same thread returns the item that it returned last and that the pool kept, the second return is detected, ignored
    /// and counted in <see cref="CachePoolStatistics.DoubleReturns"/>, unless the pool has moved the thread's items meanwhile
    /// because another thread had none. Other double returns are detected in paranoid mode only
    /// (<see cref="CacheOptions.Paranoid"/>); use <see cref="Rent"/> if you need protection against them.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Return(T obj)
    {
        ArgumentNullException.ThrowIfNull(obj);
        if (_resets && !_cache.TryReset(obj))
        {
            return;
        }

        var own = ThreadStack.Find(ThreadIndex.Current, _stacks);
        if (own is null || !own.TryPush(obj))
        {
            ReturnSlow(own, obj);
        }
    }

    /// <summary>
    /// Rents an item under a lease that ends exactly once. Allocates nothing if the item has been leased before.
    /// </summary>
    /// <returns>The lease; dispose it to return the item.</returns>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    /// <exception cref="InvalidOperationException">The policy created null.</exception>
    public Lease<T> Rent() => _cache.Rent();

    /// <summary>Creates items ahead of demand, up to the limit.</summary>
    /// <param name="count">How many items to create; 0 or more.</param>
    /// <returns>How many were added.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is negative.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
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

    /// <summary>Disposes the retained items; later rents throw. Further calls have no effect.</summary>
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
