using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>
/// What a command or batch is bound to: the caller's connection, the provider's connection of one of its leases, and how much of
/// it runs there.
/// </summary>
// Invariants
//   the wrapper is in the list of what is bound to Physical, unless it was detached at the end of the lease
//   executions and open readers are counted for Physical only: those of a lease that ended are ignored when they end
// It belongs to the thread that uses the connection, except for Cancel, CancelRunning and Leave, which may run on any thread and
// leave the list alone: a wrapper that was disposed meanwhile stays there until the lease ends.
internal struct ConnectionBinding(PooledConnection connection)
{
    private PhysicalConnection? _physical;
    private int _running;

    public PooledConnection? Connection { get; private set; } = connection;

    public readonly PhysicalConnection? Physical => _physical;

    /// <summary>Whether nothing of the wrapper runs, nor is a reader of it open.</summary>
    public readonly bool IsIdle => _running == 0;

    /// <summary>
    /// Whether the lease that the wrapper is bound to has ended, so that its objects may be another user's by now.
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

    /// <summary>The lease ends, and takes the wrapper off its list. False if the wrapper is bound to another.</summary>
    public bool TryDetach(PhysicalConnection physical)
    {
        if (_physical != physical)
        {
            return false;
        }

        _physical = null;
        return true;
    }

    /// <summary>The wrapper gets another connection.</summary>
    public void Replace(ILeaseBound wrapper, PooledConnection? connection)
    {
        Unbind(wrapper);
        Connection = connection;
    }

    /// <summary>An execution or a reader begins.</summary>
    public void Begin() => _running++;

    /// <summary>An execution ends.</summary>
    public void Leave(PhysicalConnection physical)
    {
        if (_physical == physical)
        {
            _running--;
        }

        physical.EndUse();
    }

    /// <summary>A reader was closed.</summary>
    /// <returns>Whether nothing runs any more.</returns>
    public bool EndReader(PhysicalConnection physical) => _physical == physical && --_running == 0;

    /// <summary>
    /// Requests the provider to cancel running work. The connection is destroyed when it is closed, because the request may
    /// arrive late.
    /// </summary>
    // Held as by an execution, so that the connection cannot reach its next user while the request is on its way (I9).
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
