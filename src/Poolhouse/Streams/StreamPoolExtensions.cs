namespace Poolhouse;

/// <summary>The names under which Microsoft.IO's stream manager gives streams, for code that moves from there.</summary>
public static class StreamPoolExtensions
{
    /// <summary>Rents a stream: <see cref="StreamPool.Rent"/>.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="tag">What to call it; <c>null</c>: nothing.</param>
    /// <returns>The stream; dispose it to give its blocks back.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public static PooledStream GetStream(this StreamPool pool, string? tag = null) => pool.GetStream(tag, requiredSize: 0);

    /// <summary>Rents a stream with room for some bytes.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="tag">What to call it; <c>null</c>: nothing.</param>
    /// <param name="requiredSize">How many bytes it has room for before it rents another block; 0 or more.</param>
    /// <param name="asContiguousBuffer">Whether that room shall be one block, as <see cref="PooledStream.GetBuffer"/> needs
    /// it.</param>
    /// <returns>The stream; dispose it to give its blocks back.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="requiredSize"/> is negative, above
    /// <see cref="StreamPoolOptions.MaxLength"/>, or longer than an array while it shall be one block.</exception>
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
            stream.Dispose();
            throw;
        }

        return stream;
    }

    /// <summary>Rents a stream with a copy of some bytes, at position 0.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="tag">What to call it; <c>null</c>: nothing.</param>
    /// <param name="buffer">What to copy.</param>
    /// <returns>The stream; dispose it to give its blocks back.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    /// <exception cref="IOException">That is more than <see cref="StreamPoolOptions.MaxLength"/>.</exception>
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
    /// <param name="tag">What to call it; <c>null</c>: nothing.</param>
    /// <param name="buffer">Where to copy from.</param>
    /// <param name="offset">Where to begin.</param>
    /// <param name="count">How many bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="offset"/> and <paramref name="count"/> are not within the
    /// array.</exception>
    public static PooledStream GetStream(this StreamPool pool, string? tag, byte[] buffer, int offset, int count)
    {
        ArgumentNullException.ThrowIfNull(buffer);
        return pool.GetStream(tag, buffer.AsSpan(offset, count));
    }
}
