using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Buffers;
using Poolhouse.Caching.Threads;

namespace Poolhouse;

/// <summary>A cache of arrays with one strict byte budget: a drop-in <see cref="ArrayPool{T}"/>.</summary>
/// <typeparam name="T">The type of the elements.</typeparam>
/// <remarks>
/// <para>
/// Lengths, errors and the semantics of every call are those of <see cref="ArrayPool{T}"/>: the length of a rented array is the
/// next power of two, at least 16; a request for 0 returns an empty array; arrays of more than 2^30 elements are allocated with
/// the requested length and never retained. Each thread holds a small stack of arrays of each length below 512 KiB, so that
/// nested rents are as cheap as single ones.
/// </para>
/// <para>
/// <see cref="ArrayPoolOptions.MaxRetainedBytes"/> bounds all lengths together at every instant, and idle arrays are released
/// after a timeout (<see cref="CacheOptions.IdleTimeout"/>), even in an idle process where no gen-2 collection takes place.
/// </para>
/// <para>
/// <see cref="Rent"/> and <see cref="Return"/> are unguarded, because an array carries no information about whether it was
/// returned; only a second return of the array that the thread returned last is detected, unless the pool has moved it meanwhile
/// because another thread had none, and others in paranoid mode (<see cref="CacheOptions.Paranoid"/>). <see cref="RentExact"/>
/// returns a lease of the exact length that ends exactly once.
/// </para>
/// <para>
/// All members are thread safe. After <see cref="Dispose"/>, renting throws, except for the empty array, and a returned array is
/// dropped.
/// </para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(PoolDebugView))]
public sealed class TieredArrayPool<T> : ArrayPool<T>, IPool, IDisposable
{
    private readonly ArrayCache<T> _cache;
    private readonly ThreadStack?[][] _tables;
    private readonly bool _clears;
    private readonly bool _isShared;

    /// <summary>Creates a pool that shares nothing with other pools.</summary>
    /// <param name="options">The settings; <c>null</c> for the defaults.</param>
    /// <exception cref="ArgumentException">Some options are out of range; the message names each one.</exception>
    public TieredArrayPool(ArrayPoolOptions? options = null)
        : this(options, isShared: false)
    {
    }

    private TieredArrayPool(ArrayPoolOptions? options, bool isShared)
    {
        _isShared = isShared;
        _cache = new ArrayCache<T>((options ?? new ArrayPoolOptions()).Freeze<ArrayPoolOptions>(), isShared);
        _tables = _cache.Tables;
        _clears = _cache.ClearsOnReturn;
    }

    /// <summary>
    /// The process-wide pool for arrays of this type, with the default settings. Disposing it has no effect. As with
    /// <see cref="ArrayPool{T}.Shared"/>, the content of a new array is undefined; new arrays of all other pools are zeroed.
    /// </summary>
#pragma warning disable CA1000 // As in .NET: on the generic type.
    public static new TieredArrayPool<T> Shared { get; } = new(options: null, isShared: true);
#pragma warning restore CA1000

    /// <inheritdoc/>
    public string Name => _cache.Name;

    /// <summary>The maximum number of bytes the pool retains.</summary>
    public long MaxRetainedBytes => _cache.MaxRetainedBytes;

    internal ArrayCache<T> Cache => _cache;

    /// <summary>Rents an array without a lease.</summary>
    /// <param name="minimumLength">The minimum number of elements; 0 or more.</param>
    /// <returns>An array of at least that length. Its content depends on <see cref="ArrayPoolOptions.Clear"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="minimumLength"/> is negative.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override T[] Rent(int minimumLength) =>
        FindStack(Buckets.IndexOf(minimumLength)) is { } stack && stack.TryPop() is { } array
            ? Unsafe.As<T[]>(array)
            : _cache.RentSlow(minimumLength);

    /// <summary>Returns an array rented with <see cref="Rent"/>.</summary>
    /// <param name="array">The array; the caller must not use it any longer. An empty array is ignored.</param>
    /// <param name="clearArray">True to clear the array even if <see cref="ArrayPoolOptions.Clear"/> does not require it.</param>
    /// <exception cref="ArgumentNullException"><paramref name="array"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// The array has a length that this pool does not rent out, so it cannot be from this pool.
    /// </exception>
    /// <exception cref="PoolMisuseException">The array must not be returned, and the pool is in paranoid mode; see
    /// <see cref="ParanoidMode.Throw"/>.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Return(T[] array, bool clearArray = false)
    {
        ArgumentNullException.ThrowIfNull(array);
        var bucket = Buckets.IndexOf(array.Length);
        if (FindStack(bucket) is not { } stack || array.Length != Buckets.LengthOf(bucket))
        {
            _cache.ReturnSlow(array, clearArray);
            return;
        }

        if (_clears || clearArray)
        {
            Array.Clear(array);
        }

        if (!stack.TryPush(array))
        {
            _cache.ReturnSlow(array);
        }
    }

    /// <summary>
    /// Rents a buffer of exactly the given length under a lease. Allocates nothing if the array has been leased before.
    /// </summary>
    /// <param name="length">The number of elements; 0 or more.</param>
    /// <returns>The lease; dispose it to return the array.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public BufferLease<T> RentExact(int length) => new(_cache.RentLease(length), length);

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

    /// <summary>
    /// Drops the retained arrays; later rents throw. Further calls have no effect. Disposing <see cref="Shared"/>, which belongs
    /// to the whole process, has no effect either.
    /// </summary>
    public void Dispose()
    {
        if (!_isShared)
        {
            _cache.Dispose();
        }
    }

    /// <summary>The current thread's stack of a bucket; null if the slow path must be taken.</summary>
    // One thread static for both kinds of pool, read before the branch: in a rent followed by a return, the JIT then locates it
    // once. For value types only: in code that is shared over reference types, the JIT does not inline such a thread static.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ThreadStack? FindStack(int bucket)
    {
        if (typeof(T).IsValueType)
        {
            return ThreadState<T>.Current is not { } thread ? null
                : _isShared ? thread.FindShared(bucket)
                : FindPrivateStack(bucket, thread.Number);
        }

        return FindPrivateStack(bucket, ThreadIndex.Current);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ThreadStack? FindPrivateStack(int bucket, int thread)
    {
        var tables = _tables;
        return (uint)bucket < (uint)tables.Length ? ThreadStack.Find(thread, tables[bucket]) : null;
    }
}
