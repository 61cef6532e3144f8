namespace Poolhouse;

/// <summary>Hears what happens to the streams of a pool: for logs, traces and tests. Override what you want to hear.</summary>
/// <remarks>
/// Called on the stack of whoever uses the stream, and on the finalizer thread for <see cref="OnLeaked"/>; never under a lock.
/// What a member throws is swallowed. One observer may serve many pools, so its members must be thread safe.
/// </remarks>
public abstract class StreamPoolObserver
{
    /// <summary>A stream was rented.</summary>
    /// <param name="rented">What happened.</param>
    public virtual void OnRented(in StreamRented rented)
    {
    }

    /// <summary>A stream was disposed, or its lease has ended.</summary>
    /// <param name="returned">What happened, with the length that the stream had.</param>
    public virtual void OnReturned(in StreamReturned returned)
    {
    }

    /// <summary>A stream was never disposed, and is gone with its blocks: the garbage collector found it.</summary>
    /// <param name="leaked">What happened.</param>
    public virtual void OnLeaked(in StreamLeaked leaked)
    {
    }

    /// <summary>
    /// Somebody copied the content of a stream to an array, or was refused to by
    /// <see cref="StreamPoolOptions.ThrowExceptionOnToArray"/>.
    /// </summary>
    /// <param name="copied">What happened.</param>
    public virtual void OnToArray(in StreamCopiedToArray copied)
    {
    }

    /// <summary>
    /// A write was refused because the stream would have become longer than <see cref="StreamPoolOptions.MaxLength"/>.
    /// </summary>
    /// <param name="refused">What happened.</param>
    public virtual void OnTooLong(in StreamTooLong refused)
    {
    }
}
