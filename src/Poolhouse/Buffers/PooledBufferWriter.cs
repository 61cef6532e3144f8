using System.Buffers;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Poolhouse;

/// <summary>A growing buffer for code that writes to <see cref="IBufferWriter{T}"/>, on pooled arrays.</summary>
/// <typeparam name="T">The type of the elements.</typeparam>
/// <remarks>
/// <para>
/// Behaves as <see cref="ArrayBufferWriter{T}"/> and returns its array on <see cref="Dispose"/>. When it grows, it doubles the capacity,
/// copies what was advanced over, and returns the shorter array to the pool.
/// </para>
/// <para>
/// A span or memory from <see cref="GetSpan"/> or <see cref="GetMemory"/> may be written to until the next call of <see cref="Advance"/>,
/// as <see cref="IBufferWriter{T}"/> prescribes. If a second request makes the writer grow before that, the shorter array is left to the
/// garbage collector: what is still written to it is lost, but never reaches another user of the pool. After <see cref="Advance"/>,
/// <see cref="DetachBuffer"/> or <see cref="Dispose"/>, do not use what was handed out before: it may be another user's memory.
/// </para>
/// <para>Not thread safe, except that disposing it from several threads returns the array once.</para>
/// </remarks>
[DebuggerDisplay("{WrittenCount} written")]
public sealed class PooledBufferWriter<T> : IBufferWriter<T>, IDisposable
{
    /// <summary>The capacity that a writer starts with by default.</summary>
    public const int DefaultInitialCapacity = 256;

    private readonly TieredArrayPool<T> _pool;
    private Lease<T[]> _lease;

    private int _written;

    private Rest _rest;
    private bool _disposed;

    /// <summary>Makes a writer.</summary>
    /// <param name="initialCapacity">How many elements it can take before it grows; 1 or more.</param>
    /// <param name="pool">Where its arrays come from; <c>null</c>: <see cref="TieredArrayPool{T}.Shared"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="initialCapacity"/> is less than 1.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public PooledBufferWriter(int initialCapacity = DefaultInitialCapacity, TieredArrayPool<T>? pool = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(initialCapacity, 1);
        _pool = pool ?? TieredArrayPool<T>.Shared;
        _lease = _pool.Cache.RentLease(initialCapacity);
    }

    /// <summary>How many elements were written.</summary>
    public int WrittenCount => _written;

    /// <summary>How many elements fit before it grows.</summary>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public int Capacity => _lease.Value.Length;

    /// <summary>How many more elements fit before it grows.</summary>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public int FreeCapacity => Capacity - _written;

    /// <summary>What was written. Valid until the next call of <see cref="GetSpan"/>, <see cref="GetMemory"/>,
    /// <see cref="Advance"/> or <see cref="Clear"/>, or until disposal.</summary>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public ReadOnlySpan<T> WrittenSpan => _lease.Value.AsSpan(0, _written);

    /// <summary>What was written. Valid until the next call of <see cref="GetSpan"/>, <see cref="GetMemory"/>,
    /// <see cref="Advance"/> or <see cref="Clear"/>, or until disposal.</summary>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public ReadOnlyMemory<T> WrittenMemory => _lease.Value.AsMemory(0, _written);

    /// <summary>Forgets what was written and overwrites it.</summary>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public void Clear()
    {
        _lease.Value.AsSpan(0, _written).Clear();
        _written = 0;
    }

    /// <summary>Forgets what was written and leaves it in the buffer.</summary>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public void ResetWrittenCount()
    {
        _ = _lease.Value;
        _written = 0;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentException"><paramref name="count"/> is negative.</exception>
    /// <exception cref="InvalidOperationException">More was written than the buffer holds.</exception>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public void Advance(int count)
    {
        if (count < 0)
        {
            throw new ArgumentException($"Cannot advance by {count}: a count is 0 or more.", nameof(count));
        }

        var array = _lease.Value;
        if (count > array.Length - _written)
        {
            throw new InvalidOperationException(
                $"Cannot advance by {count}: {_written} of {array.Length} elements are written. "
                + "Ask GetSpan or GetMemory for the space first.");
        }

        if (_rest == Rest.Foreign)
        {
            // As in a new array of one's own: nothing was written here yet.
            array.AsSpan(_written, count).Clear();
        }
        else
        {
            _rest = Rest.Settled;
        }

        _written += count;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentException"><paramref name="sizeHint"/> is negative.</exception>
    /// <exception cref="OutOfMemoryException">No array can be that long.</exception>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public Memory<T> GetMemory(int sizeHint = 0) => ArrayWithFree(sizeHint).AsMemory(_written);

    /// <inheritdoc/>
    /// <exception cref="ArgumentException"><paramref name="sizeHint"/> is negative.</exception>
    /// <exception cref="OutOfMemoryException">No array can be that long.</exception>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public Span<T> GetSpan(int sizeHint = 0) => ArrayWithFree(sizeHint).AsSpan(_written);

    /// <summary>Hands what was written to the caller without copying it. The writer cannot be used any more.</summary>
    /// <returns>A lease of exactly what was written.</returns>
    /// <exception cref="ObjectDisposedException">The writer was disposed or detached.</exception>
    public BufferLease<T> DetachBuffer()
    {
        var lease = _lease;
        _ = lease.Value;
        _lease = default;
        return new BufferLease<T>(lease, _written);
    }

    /// <summary>Returns the array. Calling it again does nothing.</summary>
    public void Dispose()
    {
        if (!Interlocked.Exchange(ref _disposed, true))
        {
            _lease.Dispose();
        }
    }

    private T[] ArrayWithFree(int sizeHint)
    {
        if (sizeHint < 0)
        {
            throw new ArgumentException($"Cannot make room for {sizeHint} elements: a size hint is 0 or more.", nameof(sizeHint));
        }

        var array = _lease.Value;
        var needed = Math.Max(1, sizeHint);
        if (needed > array.Length - _written)
        {
            array = Grow(array, needed);
        }

        _rest = Rest.Offered;
        return array;
    }

    private T[] Grow(T[] array, int needed)
    {
        var least = (long)_written + needed;
        if (least > Array.MaxLength)
        {
            ThrowTooLong(least);
        }

        var larger = _pool.Cache.RentLease((int)Math.Min(Array.MaxLength, Math.Max(least, 2L * array.Length)));
        array.AsSpan(0, _written).CopyTo(larger.Value);
        if (_rest == Rest.Offered)
        {
            // Its caller may still write to it (I31).
            _lease.Discard();
        }
        else
        {
            _lease.Dispose();
        }

        _lease = larger;
        return larger.Value;
    }

    [DoesNotReturn]
    private static void ThrowTooLong(long length) =>
#pragma warning disable CA2201, MA0012 // Reserved by the runtime, and what every buffer writer of .NET throws here.
        throw new OutOfMemoryException($"A buffer of {length} elements cannot be made: an array holds at most {Array.MaxLength}.");
#pragma warning restore CA2201, MA0012

    /// <summary>What is behind the written elements of the array.</summary>
    private enum Rest : byte
    {
        /// <summary>Whatever others left there: the writer has offered nothing yet.</summary>
        Foreign,

        /// <summary>A span or memory that was handed out, and that may be written to.</summary>
        Offered,

        /// <summary>What was handed out was advanced over since then: nobody may write to it any more.</summary>
        Settled,
    }
}
