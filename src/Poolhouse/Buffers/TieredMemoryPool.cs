using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Buffers;

namespace Poolhouse;

/// <summary>A <see cref="MemoryPool{T}"/> over a <see cref="TieredArrayPool{T}"/>.</summary>
/// <typeparam name="T">The type of the elements.</typeparam>
/// <remarks>
/// <para>
/// As in .NET's shared pool, rented memory may be longer than requested, an owner's memory throws after the owner is disposed,
/// and a second disposal has no effect; here it is also counted in <see cref="CachePoolStatistics.DoubleReturns"/>.
/// </para>
/// <para>
/// An <see cref="IMemoryOwner{T}"/> does not identify the rent it belongs to, so an owner that is reused cannot detect late use
/// by its previous user. By default each rent allocates an owner (32 bytes) and remains safe. With <c>reuseOwners</c> a rent
/// allocates nothing, but disposing an owner again after it was reused for another rent ends that other rent. For safety without
/// allocation, use <see cref="RentExact"/>.
/// </para>
/// <para>All members are thread safe.</para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(PoolDebugView))]
public sealed class TieredMemoryPool<T> : MemoryPool<T>, IPool
{
    private const int DefaultBytes = 4096;

    private readonly TieredArrayPool<T> _arrays;
    private readonly bool _ownsArrays;
    private readonly bool _reusesOwners;

    /// <summary>Creates a pool with its own arrays.</summary>
    /// <param name="options">The settings; <c>null</c> for the defaults.</param>
    /// <exception cref="ArgumentException">Some options are out of range; the message names each one.</exception>
    public TieredMemoryPool(ArrayPoolOptions? options = null)
        : this(reuseOwners: false, options)
    {
    }

    /// <summary>Creates a pool with its own arrays.</summary>
    /// <param name="reuseOwners">Whether owners are reused; see the remarks on the type.</param>
    /// <param name="options">The settings; <c>null</c> for the defaults.</param>
    /// <exception cref="ArgumentException">Some options are out of range; the message names each one.</exception>
    public TieredMemoryPool(bool reuseOwners, ArrayPoolOptions? options = null)
        : this(new TieredArrayPool<T>(options), reuseOwners, ownsArrays: true)
    {
    }

    /// <summary>Creates a pool that shares the arrays, the budget and the statistics of an array pool.</summary>
    /// <param name="arrays">The array pool; the caller remains responsible for disposing it.</param>
    /// <param name="reuseOwners">Whether owners are reused; see the remarks on the type.</param>
    /// <exception cref="ArgumentNullException"><paramref name="arrays"/> is null.</exception>
    public TieredMemoryPool(TieredArrayPool<T> arrays, bool reuseOwners = false)
        : this(arrays ?? throw new ArgumentNullException(nameof(arrays)), reuseOwners, ownsArrays: false)
    {
    }

    private TieredMemoryPool(TieredArrayPool<T> arrays, bool reusesOwners, bool ownsArrays)
    {
        _arrays = arrays;
        _reusesOwners = reusesOwners;
        _ownsArrays = ownsArrays;
    }

    /// <summary>The process-wide pool for memory of this type, over <see cref="TieredArrayPool{T}.Shared"/>.</summary>
#pragma warning disable CA1000 // As in .NET: on the generic type.
    public static new TieredMemoryPool<T> Shared { get; } = new(TieredArrayPool<T>.Shared);
#pragma warning restore CA1000

    /// <summary>The longest memory that can be rented.</summary>
    public override int MaxBufferSize => Array.MaxLength;

    /// <inheritdoc/>
    public string Name => _arrays.Name;

    /// <summary>Rents memory.</summary>
    /// <param name="minBufferSize">The minimum number of elements; -1, the default, requests 4,096 bytes' worth.</param>
    /// <returns>The owner; dispose it to return the memory.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="minBufferSize"/> is below -1 or above
    /// <see cref="MaxBufferSize"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public override IMemoryOwner<T> Rent(int minBufferSize = -1)
    {
        if (minBufferSize == -1)
        {
            minBufferSize = 1 + ((DefaultBytes - 1) / Unsafe.SizeOf<T>());
        }

#pragma warning disable MA0015 // .NET's pool names the parameter minimumBufferSize, although its base class names it minBufferSize.
        ArgumentOutOfRangeException.ThrowIfNegative(minBufferSize, "minimumBufferSize");
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, Array.MaxLength, "minimumBufferSize");
#pragma warning restore MA0015
        var slot = minBufferSize == 0 ? _arrays.Cache.RentEmptySlot() : _arrays.Cache.RentSlot(minBufferSize);
        if (!_reusesOwners)
        {
            return new ArrayMemoryOwner<T>().With(slot.BeginLease());
        }

        var owner = Unsafe.As<ArrayMemoryOwner<T>>(slot.Companion ??= new ArrayMemoryOwner<T>());
        return owner.With(slot.BeginLease());
    }

    /// <inheritdoc cref="TieredArrayPool{T}.RentExact"/>
    public BufferLease<T> RentExact(int length) => _arrays.RentExact(length);

    /// <inheritdoc/>
    public int Trim() => _arrays.Trim();

    /// <summary>Reads the pool's counters.</summary>
    /// <returns>An immutable snapshot.</returns>
    public CachePoolStatistics GetStatistics() => _arrays.GetStatistics();

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <inheritdoc/>
    /// <remarks>Empty unless the pool is in paranoid mode; see <see cref="CacheOptions.Paranoid"/>.</remarks>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _arrays.GetLeases(max);

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => _arrays.ToString();

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing && _ownsArrays)
        {
            _arrays.Dispose();
        }
    }
}
