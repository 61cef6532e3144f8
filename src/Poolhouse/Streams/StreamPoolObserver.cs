namespace Poolhouse;

/// <summary>
/// Receives the events of the streams of a pool, for logs, traces and tests. Override the members for the events of interest.
/// </summary>
/// <remarks>
/// Members are called on the stack of the code that uses the stream, and <see cref="OnLeaked"/> on the finalizer thread; never
/// under a lock. Exceptions thrown by members are swallowed. One observer may serve many pools, so its members must be thread
/// safe.
/// </remarks>
public abstract class StreamPoolObserver
{
    /// <summary>Called when a stream was rented.</summary>
    /// <param name="rented">The details.</param>
    public virtual void OnRented(in StreamRentedArgs rented)
    {
    }

    /// <summary>Called when a stream was disposed.</summary>
    /// <param name="returned">The details, with the length that the stream had.</param>
    public virtual void OnReturned(in StreamReturnedArgs returned)
    {
    }

    /// <summary>
    /// Called when the garbage collector found a stream that was never disposed. The stream and its blocks are lost.
    /// </summary>
    /// <param name="leaked">The details.</param>
    public virtual void OnLeaked(in StreamLeakedArgs leaked)
    {
    }

    /// <summary>
    /// Called when the content of a stream was copied to an array, or when the copy was rejected because of
    /// <see cref="StreamPoolOptions.ThrowExceptionOnToArray"/>.
    /// </summary>
    /// <param name="copied">The details.</param>
    public virtual void OnCopiedToArray(in StreamCopiedToArrayArgs copied)
    {
    }

    /// <summary>
    /// Called when a write was rejected because the stream would have become longer than
    /// <see cref="StreamPoolOptions.MaxLength"/>.
    /// </summary>
    /// <param name="refused">The details.</param>
    public virtual void OnTooLong(in StreamTooLongArgs refused)
    {
    }
}
