namespace Poolhouse.Resources.Nested;

/// <summary>One creation of a child, which tries parents until it succeeds on one.</summary>
// Order of writes: the child is written before _isGivenUp is read, and _isGivenUp is written before the child is read, each with
// a full fence. So an abandoned creation ends its use of the parent, whichever comes first.
internal sealed class NestedCreation<TParent, TChild>
    where TParent : notnull
    where TChild : notnull
{
    private NestedChild<TParent, TChild>? _child;
    private Exception? _refusal;
    private int _isGivenUp;

    /// <summary>
    /// With which exception the last parent said that it is full, while the creation waits for one that is not; otherwise null.
    /// </summary>
    public Exception? Refusal
    {
        get => Volatile.Read(ref _refusal);
        set => Volatile.Write(ref _refusal, value);
    }

    /// <summary>The child that is being created now.</summary>
    public void Begin(NestedChild<TParent, TChild> child)
    {
        Refusal = null;
        Interlocked.Exchange(ref _child, child);
        if (Volatile.Read(ref _isGivenUp) != 0)
        {
            child.EndUse(suspect: true);
        }
    }

    public void GiveUp()
    {
        Interlocked.Exchange(ref _isGivenUp, 1);
        Volatile.Read(ref _child)?.EndUse(suspect: true);
    }
}
