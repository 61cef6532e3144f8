namespace Poolhouse.Ldap.Internal;

/// <summary>The calls that are inside a native connection: it is closed when the last of them has left. Thread safe.</summary>
/// <param name="close">Closes the connection; may be called repeatedly.</param>
// Invariants
//   _count < 0 once the connection is to be closed. The call that brings it to Closing closes the connection: no other call is
//   inside then, so none uses a freed handle
// Locks: none.
internal sealed class CallsInside(Action close)
{
    private const int Closing = int.MinValue;

    private int _count;

    /// <summary>Whether a call is inside, or none may enter any more.</summary>
    public bool AnyOrClosing => Volatile.Read(ref _count) != 0;

    /// <summary>Begins a call, which <see cref="Leave"/> ends; false once the connection is to be closed.</summary>
    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _count) >= 0)
        {
            return true;
        }

        Leave();
        return false;
    }

    public void Leave()
    {
        if (Interlocked.Decrement(ref _count) == Closing)
        {
            close();
        }
    }

    /// <summary>Closes the connection, now or when the last call leaves.</summary>
    public void Close()
    {
        if (Interlocked.Or(ref _count, Closing) is 0 or Closing)
        {
            close();
        }
    }
}
