using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Nested;

/// <summary>One creation of a child, which tries parents until it succeeds on one.</summary>
// Order of writes: the child is written before _isAbandoned is read, and _isAbandoned is written before the child is read, each
// with a full fence. So an abandoned creation ends its use of the parent, whichever comes first.
internal sealed class NestedCreation<TParent, TChild> : ResourceCreation
    where TParent : notnull
    where TChild : notnull
{
    private NestedChild<TParent, TChild>? _child;
    private Exception? _refusal;
    private int _isAbandoned;

    /// <summary>
    /// The exception with which the last parent refused the child because it is full, while the creation waits for another
    /// parent; otherwise null.
    /// </summary>
    public Exception? Refusal
    {
        get => Volatile.Read(ref _refusal);
        set => Volatile.Write(ref _refusal, value);
    }

    public override Exception? Obstacle => Refusal;

    /// <summary>
    /// Records the child that is being created now; ends its use of the parent at once if the creation was abandoned.
    /// </summary>
    public void Begin(NestedChild<TParent, TChild> child)
    {
        Refusal = null;
        Interlocked.Exchange(ref _child, child);
        if (Volatile.Read(ref _isAbandoned) != 0)
        {
            child.EndUse(suspect: true);
        }
    }

    /// <summary>Ends the use of the parent on which the child is being created.</summary>
    public override void Abandon()
    {
        Interlocked.Exchange(ref _isAbandoned, 1);
        Volatile.Read(ref _child)?.EndUse(suspect: true);
    }
}
