using System.Threading.Tasks.Sources;

namespace Poolhouse.Kernel.Threading;

/// <summary>Decides which thread takes the result of a reusable task source, and may then reuse the source.</summary>
// A ValueTask may be awaited once. The version detects a second await that comes later, but two threads that take the result at
// the same moment both find the version unchanged. If both reused the source, it would serve two callers at once (I1).
// Not covered: one thread awaits the ValueTask, and another one polls it and takes the result within the few instructions between
// the completion of the source and the call of the continuation.
internal struct ResultClaim
{
    private const int Kept = -1;

    // The version whose result may be taken, plus one; zero if there is none.
    private int _state;

    /// <summary>Called before the outcome is set.</summary>
    /// <param name="version">The version of the source.</param>
    /// <param name="isReusable">Whether the source may be reused; otherwise its result can be taken more than once.</param>
    public void Offer(short version, bool isReusable) => Volatile.Write(ref _state, isReusable ? (ushort)version + 1 : Kept);

    /// <summary>Rejects a request for a result that does not exist yet.</summary>
    /// <exception cref="InvalidOperationException">There is no result yet.</exception>
    // The source would throw as well, unless the result was set meanwhile: then it would be read without having been taken.
    public static void ThrowIfPending(ValueTaskSourceStatus status)
    {
        if (status == ValueTaskSourceStatus.Pending)
        {
            throw new InvalidOperationException();
        }
    }

    /// <summary>Takes a result that has been set. The caller then reads it, and reuses the source after that.</summary>
    /// <param name="version">The version for which the result is requested.</param>
    /// <returns>Whether the source may be reused.</returns>
    /// <exception cref="InvalidOperationException">Another thread has taken the result.</exception>
    public bool Take(short version)
    {
        if (Volatile.Read(ref _state) == Kept)
        {
            return false;
        }

        // A CAS, so that one of several threads wins. The result is read after it: no thread reads the result of the next use.
        var offered = (ushort)version + 1;
        return Interlocked.CompareExchange(ref _state, 0, offered) == offered ? true : throw new InvalidOperationException();
    }
}
