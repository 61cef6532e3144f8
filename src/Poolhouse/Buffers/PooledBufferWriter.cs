using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Poolhouse;

/// <summary>A growable <see cref="IBufferWriter{T}"/> on pooled arrays.</summary>
/// <typeparam name="T">The type of the elements.</typeparam>
/// <remarks>
/// <para>
/// Behaves like <see cref="ArrayBufferWriter{T}"/> and returns its array on <see cref="Dispose"/>. When it grows, it doubles the
/// capacity, copies the written elements, and returns the shorter array to the pool.
/// </para>
/// <para>
/// A span or memory from <see cref="GetSpan"/> or <see cref="GetMemory"/> may be written to until the next call of
/// <see cref="Advance"/>, as <see cref="IBufferWriter{T}"/> prescribes. If a second request makes the writer grow before that,
/// content written before is copied, and the shorter array is left to the garbage collector: content written to it afterwards is
/// lost, but never reaches another user of the pool. After <see cref="Advance"/>, <see cref="DetachBuffer"/> or
/// <see cref="Dispose"/>, do not use a span or memory obtained earlier: it may now belong to another user.
/// </para>
/// <para>Not thread safe, except that concurrent disposal returns the array only once.</para>
/// </remarks>
[DebuggerDisplay("{WrittenCount} written")]
public sealed class PooledBufferWriter<T> : IBufferWriter<T>, IDisposable
{
    /// <summary>The default initial capacity of a writer.</summary>
    public const int DefaultInitialCapacity = 256;

    private readonly TieredArrayPool<T> _pool;
    private Lease<T[]> _lease;

    private int _written;

    private FreeSpace _freeSpace;
    private bool _ended;

    /// <summary>Creates a writer.</summary>
    /// <param name="initialCapacity">How many elements can be written before the writer grows; 1 or more.</param>
    /// <param name="pool">The pool to rent arrays from; <c>null</c> for <see cref="TieredArrayPool{T}.Shared"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="initialCapacity"/> is less than 1.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public PooledBufferWriter(int initialCapacity = DefaultInitialCapacity, TieredArrayPool<T>? pool = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(initialCapacity, 1);
        _pool = pool ?? TieredArrayPool<T>.Shared;
        _lease = _pool.Cache.RentLease(initialCapacity);
    }

    /// <summary>The number of elements written.</summary>
    public int WrittenCount => _written;

    /// <summary>How many elements the writer can hold before it grows.</summary>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public int Capacity => Items.Length;

    /// <summary>How many more elements can be written before the writer grows.</summary>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public int FreeCapacity => Capacity - _written;

    /// <summary>
    /// The written elements. Valid until the next call of <see cref="GetSpan"/>, <see cref="GetMemory"/>, <see cref="Advance"/>
    /// or <see cref="Clear"/>, or until disposal.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public ReadOnlySpan<T> WrittenSpan => Items.AsSpan(0, _written);

    /// <summary>
    /// The written elements. Valid until the next call of <see cref="GetSpan"/>, <see cref="GetMemory"/>, <see cref="Advance"/>
    /// or <see cref="Clear"/>, or until disposal.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public ReadOnlyMemory<T> WrittenMemory => Items.AsMemory(0, _written);

    /// <summary>Removes the written elements and overwrites them in the buffer.</summary>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public void Clear()
    {
        Items.AsSpan(0, _written).Clear();
        _written = 0;
    }

    /// <summary>Removes the written elements without overwriting them in the buffer.</summary>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public void ResetWrittenCount()
    {
        _ = Items;
        _written = 0;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentException"><paramref name="count"/> is negative.</exception>
    /// <exception cref="InvalidOperationException"><paramref name="count"/> would advance past the end of the buffer.</exception>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public void Advance(int count)
    {
        if (count < 0)
        {
            throw new ArgumentException($"Cannot advance by {count}: the count must be 0 or more.", nameof(count));
        }

        var array = Items;
        if (count > array.Length - _written)
        {
            throw new InvalidOperationException(
                $"Cannot advance by {count}: {_written} of {array.Length} elements are written. "
                + "Request the space with GetSpan or GetMemory first.");
        }

        if (_freeSpace == FreeSpace.Foreign)
        {
            // As in a newly created array: nothing has been written here yet.
            array.AsSpan(_written, count).Clear();
        }
        else
        {
            _freeSpace = FreeSpace.Advanced;
        }

        _written += count;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentException"><paramref name="sizeHint"/> is negative.</exception>
    /// <exception cref="OutOfMemoryException">The required length exceeds the maximum length of an array.</exception>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public Memory<T> GetMemory(int sizeHint = 0) => ArrayWithFree(sizeHint).AsMemory(_written);

    /// <inheritdoc/>
    /// <exception cref="ArgumentException"><paramref name="sizeHint"/> is negative.</exception>
    /// <exception cref="OutOfMemoryException">The required length exceeds the maximum length of an array.</exception>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public Span<T> GetSpan(int sizeHint = 0) => ArrayWithFree(sizeHint).AsSpan(_written);

    /// <summary>
    /// Transfers the written elements to the caller without copying them. The writer cannot be used any longer.
    /// </summary>
    /// <returns>A lease of exactly the written elements.</returns>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public BufferLease<T> DetachBuffer()
    {
        if (Interlocked.Exchange(ref _ended, true))
        {
            throw Ended();
        }

        var lease = _lease;
        _lease = default;
        return new BufferLease<T>(lease, _written);
    }

    /// <summary>Returns the array to the pool. Further calls have no effect.</summary>
    public void Dispose()
    {
        if (!Interlocked.Exchange(ref _ended, true))
        {
            _lease.Dispose();
        }
    }

    private T[] Items
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _ended ? throw Ended() : _lease.Value;
    }

    private T[] ArrayWithFree(int sizeHint)
    {
        if (sizeHint < 0)
        {
            throw new ArgumentException(
                $"Cannot provide space for {sizeHint} elements: the size hint must be 0 or more.", nameof(sizeHint));
        }

        var array = Items;
        var needed = Math.Max(1, sizeHint);
        if (needed > array.Length - _written)
        {
            array = Grow(array, needed);
        }

        _freeSpace = FreeSpace.Offered;
        return array;
    }

    private T[] Grow(T[] array, int needed)
    {
        var least = (long)_written + needed;
        if (least > Array.MaxLength)
        {
#pragma warning disable CA2201, MA0012 // Reserved for the runtime, but every buffer writer of .NET throws this exception here.
            throw new OutOfMemoryException(
                $"A buffer of {least} elements cannot be created: an array holds at most {Array.MaxLength}.");
#pragma warning restore CA2201, MA0012
        }

        var larger = _pool.Cache.RentLease((int)Math.Min(Array.MaxLength, Math.Max(least, 2L * array.Length)));
        if (_freeSpace == FreeSpace.Offered)
        {
            // The caller may have written to the offered memory already, and may still write to the shorter array (I31).
            array.CopyTo(larger.Value.AsSpan());
            _lease.Discard();
        }
        else
        {
            array.AsSpan(0, _written).CopyTo(larger.Value);
            _lease.Dispose();
        }

        _lease = larger;
        return larger.Value;
    }

    private static ObjectDisposedException Ended() => new(
        nameof(PooledBufferWriter<T>),
        "The buffer writer was disposed or detached: its array may already belong to another user. Create another writer.");

    /// <summary>What the array contains after the written elements.</summary>
    private enum FreeSpace : byte
    {
        /// <summary>Content of previous users: the writer has not offered any memory yet.</summary>
        Foreign,

        /// <summary>Memory that was offered to the caller, which may still write to it.</summary>
        Offered,

        /// <summary>The writer has advanced since it offered memory, which may no longer be written to.</summary>
        Advanced,
    }
}
