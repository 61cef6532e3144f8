using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>
/// The binding of a command or batch: the caller's connection, the provider's connection of one of its leases, and how much of
/// the wrapper runs there.
/// </summary>
// Invariants
//   the wrapper is in the list of wrappers bound to Physical, unless it was detached at the end of the lease
//   executions and open readers are counted for Physical only: those of an ended lease are ignored when they end
// It belongs to the thread that uses the connection, except for Cancel, CancelRunning and Leave, which may run on any thread and
// do not change the list: a wrapper that was disposed meanwhile stays there until the lease ends.
internal struct ConnectionBinding(PooledConnection connection)
{
    private PhysicalConnection? _physical;
    private int _running;

    public PooledConnection? Connection { get; private set; } = connection;

    public readonly PhysicalConnection? Physical => _physical;

    /// <summary>Whether nothing of the wrapper runs and no reader of it is open.</summary>
    public readonly bool IsIdle => _running == 0;

    /// <summary>
    /// Whether the lease that the wrapper is bound to has ended, so that its objects may belong to another user.
    /// </summary>
    public readonly bool HasOutlivedLease => _physical is { } physical && Connection?.Physical != physical;

    /// <summary>Whether the lease that the wrapper is bound to is active.</summary>
    public readonly bool IsInLease => _physical is { } physical && Connection?.Physical == physical;

    public readonly bool IsRunningOn(PhysicalConnection physical) => _physical == physical && _running > 0;

    /// <summary>Binds an unbound wrapper.</summary>
    public void Bind(ILeaseBound wrapper, PhysicalConnection physical)
    {
        _running = 0;
        _physical = physical;
        physical.Bound.Add(wrapper);
    }

    public void Unbind(ILeaseBound wrapper)
    {
        _physical?.Bound.Remove(wrapper);
        _physical = null;
    }

    /// <summary>
    /// Called when the lease ends and removes the wrapper from its list. False if the wrapper is bound to another lease.
    /// </summary>
    public bool TryDetach(PhysicalConnection physical)
    {
        if (_physical != physical)
        {
            return false;
        }

        _physical = null;
        return true;
    }

    /// <summary>Sets another connection.</summary>
    public void Replace(ILeaseBound wrapper, PooledConnection? connection)
    {
        Unbind(wrapper);
        Connection = connection;
    }

    /// <summary>Counts an execution or a reader that begins.</summary>
    public void Begin() => _running++;

    /// <summary>Counts the end of an execution.</summary>
    public void Leave(PhysicalConnection physical)
    {
        if (_physical == physical)
        {
            _running--;
        }

        physical.EndUse();
    }

    /// <summary>Counts the close of a reader.</summary>
    /// <returns>Whether nothing runs any more.</returns>
    public bool EndReader(PhysicalConnection physical) => _physical == physical && --_running == 0;

    /// <summary>
    /// Requests the provider to cancel running work. The connection is destroyed when it is closed, because the request may
    /// arrive late.
    /// </summary>
    // Held like an execution, so that the connection cannot reach its next user while the request is being sent (I9).
    public readonly void Cancel(Action cancel)
    {
        if (_physical is { } physical && Connection is { } connection && connection.TryHold(physical))
        {
            try
            {
                cancel();
            }
            finally
            {
                physical.EndUse();
            }
        }
    }
}
