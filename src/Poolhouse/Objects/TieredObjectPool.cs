using System.Runtime.CompilerServices;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Kernel.Threading;
using Poolhouse.Objects;

namespace Poolhouse;

/// <summary>A cache of objects that scales with threads: a drop-in <see cref="ObjectPool{T}"/>.</summary>
/// <typeparam name="T">The type of the items.</typeparam>
/// <remarks>
/// <para>
/// Each thread works on a small stack of its own without a locked instruction; stacks that run empty or full exchange a batch with a
/// depot that all threads share. <see cref="ObjectPoolOptions.MaxRetained"/> bounds all of it together, at every instant.
/// </para>
/// <para>
/// A rent never waits and never fails for want of an item: it creates one. <see cref="Get"/> and <see cref="Return"/> are the fast,
/// unguarded pair; <see cref="Rent"/> gives a lease that cannot be returned twice. Use one or the other for an item, not both.
/// </para>
/// <para>All members are thread safe.</para>
/// <para>
/// <see cref="Dispose"/> disposes what is retained. After it a rent throws, and a returned item is disposed at once; what is leased stays
/// valid until then. Items that implement <see cref="IDisposable"/> or <see cref="IAsyncDisposable"/> are disposed by whatever makes them leave
/// the pool, once as long as they are returned once; an exception of theirs is counted in <see cref="PoolStatistics.DestroyFailures"/>.
/// </para>
/// <para>Algorithm: magazines and depots, J. Bonwick and J. Adams, <i>Magazines and Vmem</i>, USENIX 2001.</para>
/// </remarks>
public sealed class TieredObjectPool<T> : ObjectPool<T>, IPool, IDisposable
    where T : class
{
    private readonly ObjectCache<T, InterfacePolicy<T>> _cache;
    private ThreadStack?[] _stacks = [];
    private readonly bool _resets;

    /// <summary>Makes a pool from delegates.</summary>
    /// <param name="create">Makes an item; called on the renting thread when none is retained. Must not return null.</param>
    /// <param name="reset">
    /// Makes a returned item ready for the next user and says whether it may be reused; <c>null</c>: every item may, as it is. When it
    /// throws, the item is destroyed and the exception reaches the one who returns.
    /// </param>
    /// <param name="options">The settings; <c>null</c>: the defaults.</param>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> is null.</exception>
    /// <exception cref="ArgumentException">Some options are out of range; the message names each.</exception>
    public TieredObjectPool(Func<T> create, Func<T, bool>? reset = null, ObjectPoolOptions? options = null)
        : this(new DelegatePolicy<T>(create ?? throw new ArgumentNullException(nameof(create)), reset), options)
    {
    }

    /// <summary>Makes a pool from a policy as ASP.NET Core and its libraries define them.</summary>
    /// <param name="policy">
    /// Creates and resets items. <see cref="DefaultPooledObjectPolicy{T}"/> calls the parameterless constructor, and
    /// <see cref="IResettable.TryReset"/> where the item has it.
    /// </param>
    /// <param name="options">The settings; <c>null</c>: the defaults.</param>
    /// <exception cref="ArgumentNullException"><paramref name="policy"/> is null.</exception>
    /// <exception cref="ArgumentException">Some options are out of range; the message names each.</exception>
    public TieredObjectPool(IPooledObjectPolicy<T> policy, ObjectPoolOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(policy);
        _resets = InterfacePolicy<T>.Resets(policy);
        _cache = new ObjectCache<T, InterfacePolicy<T>>(new InterfacePolicy<T>(policy), _resets, options);
    }

    /// <inheritdoc/>
    public string Name => _cache.Name;

    /// <summary>How many items the pool retains at most.</summary>
    public int MaxRetained => _cache.MaxRetained;

    /// <summary>Rents an item without a guard.</summary>
    /// <returns>A retained item, or a new one.</returns>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    /// <exception cref="InvalidOperationException">The policy created null.</exception>
    /// <remarks>An exception of the policy's create reaches the caller unchanged, and nothing is lost.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override T Get() => Unsafe.As<T>(ThreadTable.TryPop(ThreadIndex.Current, _stacks)) ?? GetSlow();

    /// <summary>Returns an item rented with <see cref="Get"/>.</summary>
    /// <param name="obj">The item; the caller must not use it any more.</param>
    /// <exception cref="ArgumentNullException"><paramref name="obj"/> is null.</exception>
    /// <remarks>
    /// Returning the item that the same thread returned last is noticed, ignored and counted in
    /// <see cref="PoolStatistics.DoubleReturns"/>. Other double returns are not: use <see cref="Rent"/> where you cannot be sure.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Return(T obj)
    {
        ArgumentNullException.ThrowIfNull(obj);
        if (_resets && !_cache.Resets(obj))
        {
            return;
        }

        if (!ThreadTable.TryPush(ThreadIndex.Current, _stacks, obj))
        {
            ReturnSlow(obj);
        }
    }

    /// <summary>Rents an item under a lease, which ends exactly once. Allocates nothing once the item has been leased before.</summary>
    /// <returns>The lease; dispose it to return the item.</returns>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    /// <exception cref="InvalidOperationException">The policy created null.</exception>
    public Lease<T> Rent() => _cache.Rent();

    /// <summary>Creates items ahead of demand, as far as the bound allows.</summary>
    /// <param name="count">How many; 0 or more.</param>
    /// <returns>How many were added.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is negative.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public int Prefill(int count) => _cache.Prefill(count);

    /// <inheritdoc/>
    public int Trim() => _cache.Trim();

    /// <inheritdoc/>
    public PoolStatistics GetStatistics() => _cache.GetStatistics();

    /// <summary>Disposes what is retained and refuses to rent from now on. Calling it again does nothing.</summary>
    public void Dispose() => _cache.Dispose();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private T GetSlow()
    {
        var item = _cache.GetSlow();
        RefreshTable();
        return item;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ReturnSlow(T item)
    {
        _cache.ReturnSlow(item);
        RefreshTable();
    }

    // Written only when it changed: a stored reference costs more than the comparison, and others read this line.
    private void RefreshTable()
    {
        if (_stacks != _cache.Table)
        {
            _stacks = _cache.Table;
        }
    }
}
