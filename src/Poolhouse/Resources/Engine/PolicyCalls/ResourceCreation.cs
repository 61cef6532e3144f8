namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>One creation of an item: what its policy reports about it to the pool, which may have to abandon it.</summary>
// Order of writes: _release is written before _isAbandoned is read, and _isAbandoned is written before _release is read, each
// with a full fence. So an abandoned creation releases what it holds, whichever comes first.
internal sealed class ResourceCreation
{
    private Exception? _obstacle;
    private Action? _release;
    private int _isAbandoned;

    /// <summary>
    /// The earlier failure because of which the creation is waiting, to be reported instead of a timeout; otherwise null.
    /// </summary>
    public Exception? Obstacle
    {
        get => Volatile.Read(ref _obstacle);
        set => Volatile.Write(ref _obstacle, value);
    }

    /// <summary>
    /// Records how to release the capacity that the creation now holds elsewhere and no longer waits for; releases it at once if
    /// the creation was abandoned. One that is cancelled because the pool is closed keeps holding its capacity.
    /// </summary>
    public void Hold(Action release)
    {
        Obstacle = null;
        Interlocked.Exchange(ref _release, release);
        if (Volatile.Read(ref _isAbandoned) != 0)
        {
            release();
        }
    }

    /// <summary>Called when the creation has exceeded its timeout: capacity that it holds may be used elsewhere.</summary>
    public void Abandon()
    {
        Interlocked.Exchange(ref _isAbandoned, 1);
        Volatile.Read(ref _release)?.Invoke();
    }
}
