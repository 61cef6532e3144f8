namespace Poolhouse;

/// <summary>Methods with the names that Microsoft.IO's stream manager uses, to ease migration from it.</summary>
public static class StreamPoolExtensions
{
    /// <summary>Rents a stream; see <see cref="StreamPool.Rent"/>.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="tag">A name for the stream; <c>null</c> for none.</param>
    /// <returns>The stream; dispose it to return its blocks.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public static PooledStream GetStream(this StreamPool pool, string? tag = null) => pool.GetStream(tag, requiredSize: 0);

    /// <summary>Rents a stream with an initial capacity.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="tag">A name for the stream; <c>null</c> for none.</param>
    /// <param name="requiredSize">How many bytes the stream can hold before it rents another block; 0 or more.</param>
    /// <param name="asContiguousBuffer">
    /// Whether that capacity must be one block, as <see cref="PooledStream.GetBuffer"/> requires.
    /// </param>
    /// <returns>The stream; dispose it to return its blocks.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="requiredSize"/> is negative, above <see cref="StreamPoolOptions.MaxLength"/>, or, if one block is
    /// required, above the maximum length of an array.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public static PooledStream GetStream(this StreamPool pool, string? tag, long requiredSize, bool asContiguousBuffer = false)
    {
        ArgumentNullException.ThrowIfNull(pool);
        ArgumentOutOfRangeException.ThrowIfNegative(requiredSize);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            requiredSize, asContiguousBuffer ? Math.Min(pool.MaxLength, Array.MaxLength) : pool.MaxLength);
        var stream = pool.Rent(tag, requiredSize);
        try
        {
            if (asContiguousBuffer)
            {
                stream.Body.ReserveContiguous((int)requiredSize);
            }
            else if (requiredSize > stream.Capacity)
            {
                stream.Capacity = requiredSize;
            }
        }
        catch
        {
            // There may be less memory than was asked for.
            stream.Dispose();
            throw;
        }

        return stream;
    }

    /// <summary>Rents a stream that contains a copy of the given bytes, at position 0.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="tag">A name for the stream; <c>null</c> for none.</param>
    /// <param name="buffer">The bytes to copy.</param>
    /// <returns>The stream; dispose it to return its blocks.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    /// <exception cref="IOException">The content is longer than <see cref="StreamPoolOptions.MaxLength"/>.</exception>
    public static PooledStream GetStream(this StreamPool pool, string? tag, ReadOnlySpan<byte> buffer)
    {
        ArgumentNullException.ThrowIfNull(pool);
        var stream = pool.Rent(tag, buffer.Length);
        try
        {
            stream.Write(buffer);
            stream.Position = 0;
        }
        catch
        {
            stream.Dispose();
            throw;
        }

        return stream;
    }

    /// <inheritdoc cref="GetStream(StreamPool, string?, ReadOnlySpan{byte})"/>
    public static PooledStream GetStream(this StreamPool pool, ReadOnlySpan<byte> buffer) => pool.GetStream(tag: null, buffer);

    /// <inheritdoc cref="GetStream(StreamPool, string?, ReadOnlySpan{byte})"/>
    public static PooledStream GetStream(this StreamPool pool, byte[] buffer)
    {
        ArgumentNullException.ThrowIfNull(buffer);
        return pool.GetStream(tag: null, buffer.AsSpan());
    }

    /// <inheritdoc cref="GetStream(StreamPool, string?, ReadOnlySpan{byte})"/>
    /// <param name="pool">The pool.</param>
    /// <param name="tag">A name for the stream; <c>null</c> for none.</param>
    /// <param name="buffer">The array to copy from.</param>
    /// <param name="offset">The index of the first byte.</param>
    /// <param name="count">The number of bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="offset"/> and <paramref name="count"/> do not specify a range within the array.
    /// </exception>
    public static PooledStream GetStream(this StreamPool pool, string? tag, byte[] buffer, int offset, int count)
    {
        ArgumentNullException.ThrowIfNull(buffer);
        return pool.GetStream(tag, buffer.AsSpan(offset, count));
    }
}
