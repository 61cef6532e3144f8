using System.Buffers;
using System.Runtime.CompilerServices;
using Poolhouse.Buffers;
using Poolhouse.Kernel.Threading;

namespace Poolhouse;

/// <summary>A cache of arrays with one strict budget of bytes: a drop-in <see cref="ArrayPool{T}"/>.</summary>
/// <typeparam name="T">The type of the elements.</typeparam>
/// <remarks>
/// <para>
/// Lengths, errors and the meaning of every call are those of <see cref="ArrayPool{T}"/>: a rented array has the next power of two from
/// 16 up; 0 gives an empty array; more than 2^30 elements are allocated as asked and never kept. Each thread holds a small stack of arrays
/// of each length, so that nested rents stay as cheap as single ones.
/// </para>
/// <para>
/// <see cref="ArrayPoolOptions.MaxRetainedBytes"/> bounds all lengths together at every instant, and idle arrays go by time
/// (<see cref="CacheOptions.IdleTimeout"/>), also in an idle process where no gen-2 collection ever comes.
/// </para>
/// <para>
/// <see cref="Rent"/> and <see cref="Return"/> are unguarded, because an array cannot know that it was returned; only the array that the
/// thread returned last is recognised. <see cref="RentExact"/> gives a lease of the exact length that ends once.
/// </para>
/// <para>All members are thread safe. After <see cref="Dispose"/> a rent throws, but for the empty array, and a returned array is
/// dropped.</para>
/// </remarks>
public sealed class TieredArrayPool<T> : ArrayPool<T>, IPool, IDisposable
{
    private readonly ArrayCache<T> _cache;
    private readonly ThreadStack?[][] _tables;
    private readonly bool _clears;
    private readonly bool _isShared;

    /// <summary>Makes a pool of its own.</summary>
    /// <param name="options">The settings; <c>null</c>: the defaults.</param>
    /// <exception cref="ArgumentException">Some options are out of range; the message names each.</exception>
    public TieredArrayPool(ArrayPoolOptions? options = null)
        : this(options, isShared: false)
    {
    }

    private TieredArrayPool(ArrayPoolOptions? options, bool isShared)
    {
        _isShared = isShared;
        _cache = new ArrayCache<T>(options, isShared);
        _tables = _cache.Tables;
        _clears = _cache.ClearsOnReturn;
    }

    /// <summary>
    /// The pool of the process for arrays of this type, with the default settings. Disposing it does nothing. As with
    /// <see cref="ArrayPool{T}.Shared"/>, a new array may hold anything; that of any other pool is zero.
    /// </summary>
#pragma warning disable CA1000 // Where .NET has it: on the generic type.
    public static new TieredArrayPool<T> Shared { get; } = new(options: null, isShared: true);
#pragma warning restore CA1000

    /// <inheritdoc/>
    public string Name => _cache.Name;

    /// <summary>How many bytes the pool retains at most.</summary>
    public long MaxRetainedBytes => _cache.MaxRetainedBytes;

    internal ArrayCache<T> Cache => _cache;

    /// <summary>Rents an array without a guard.</summary>
    /// <param name="minimumLength">How many elements it must have; 0 or more.</param>
    /// <returns>An array at least that long. What is in it depends on <see cref="ArrayPoolOptions.Clear"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="minimumLength"/> is negative.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override T[] Rent(int minimumLength)
    {
        var thread = ThreadIndex.Current;
        var bucket = Buckets.IndexOf(minimumLength);
        var tables = _tables;
        return (uint)bucket < (uint)tables.Length && ThreadTable.TryPop(thread, tables[bucket]) is { } array
            ? Unsafe.As<T[]>(array)
            : _cache.RentSlow(minimumLength);
    }

    /// <summary>Returns an array rented with <see cref="Rent"/>.</summary>
    /// <param name="array">The array; the caller must not use it any more. An empty one is ignored.</param>
    /// <param name="clearArray">Whether to clear it although <see cref="ArrayPoolOptions.Clear"/> would not.</param>
    /// <exception cref="ArgumentNullException"><paramref name="array"/> is null.</exception>
    /// <exception cref="ArgumentException">The array's length is not one this pool rents: it is not from here.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Return(T[] array, bool clearArray = false)
    {
        ArgumentNullException.ThrowIfNull(array);
        var bucket = Buckets.IndexOf(array.Length);
        var tables = _tables;
        if ((uint)bucket >= (uint)tables.Length || array.Length != Buckets.LengthOf(bucket))
        {
            _cache.ReturnUnpooled(array);
            return;
        }

        if (_clears || clearArray)
        {
            Array.Clear(array);
        }

        if (!ThreadTable.TryPush(ThreadIndex.Current, tables[bucket], array))
        {
            _cache.ReturnSlow(bucket, array);
        }
    }

    /// <summary>Rents a buffer of exactly the given length under a lease. Allocates nothing once the array has been leased before.</summary>
    /// <param name="length">How many elements; 0 or more.</param>
    /// <returns>The lease; dispose it to return the array.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public BufferLease<T> RentExact(int length) => new(_cache.RentLease(length), length);

    /// <inheritdoc/>
    public int Trim() => _cache.Trim();

    /// <inheritdoc/>
    public PoolStatistics GetStatistics() => _cache.GetStatistics();

    /// <summary>
    /// Drops what is retained and refuses to rent from now on. Calling it again does nothing, and neither does disposing
    /// <see cref="Shared"/>, which belongs to the whole process.
    /// </summary>
    public void Dispose()
    {
        if (!_isShared)
        {
            _cache.Dispose();
        }
    }
}
