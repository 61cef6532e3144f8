namespace Poolhouse.Data.Sessions;

/// <summary>The connection that a wrapper leases while it is open; empty while it is closed.</summary>
// Invariants
//   of two threads that open, one keeps its connection and the other returns its own; of two that close, one ends the lease:
//   the lease of the connection that it took, also while another thread opens again
// Order of writes
//   Opening writes the lease into the connection and then publishes it with a compare-exchange; closing removes it with an
//   exchange. An execution counts itself in the connection before it reads the field again, and closing clears the field
//   before it reads that count. Both are full fences, so either the execution finds the wrapper closed, or the close sees the
//   execution, and the provider's connection is destroyed instead of returned. An execution that finds it closed may have been
//   counted in the next lease for that instant, whose close then destroys the connection, which is slow but correct.
// Locks: none
internal struct HeldConnection
{
    private PhysicalConnection? _physical;

    public readonly PhysicalConnection? Value => _physical;

    /// <summary>Opens the wrapper. Returns false if another thread has opened it: then the lease has been ended.</summary>
    public bool TryAdopt(Lease<PhysicalConnection> lease, PooledDataSource source)
    {
        if (!source.IsPooled)
        {
            lease.Taint();
        }

        var physical = lease.Value;
        physical.Lease = lease;
        if (Interlocked.CompareExchange(ref _physical, physical, comparand: null) is null)
        {
            return true;
        }

        LeaseEnds.End(physical, source.Enlisted);
        return false;
    }

    /// <summary>
    /// Closes the wrapper, and returns the connection whose lease the caller ends; null if this call found none.
    /// </summary>
    // A full fence also if it is closed: the disposal of the wrapper relies on it.
    public PhysicalConnection? Take() => Interlocked.Exchange(ref _physical, null);

    /// <summary>
    /// Begins an execution on a lease's connection; false if the lease has ended. Ends with
    /// <see cref="PhysicalConnection.EndUse"/>.
    /// </summary>
    public bool TryEnter(PhysicalConnection physical)
    {
        physical.BeginUse();
        if (Volatile.Read(ref _physical) == physical)
        {
            return true;
        }

        physical.EndUse();
        return false;
    }
}
