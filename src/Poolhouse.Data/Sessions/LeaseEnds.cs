namespace Poolhouse.Data.Sessions;

/// <summary>Ends the leases of wrappers that are closed.</summary>
internal static class LeaseEnds
{
    /// <summary>
    /// Detaches the wrappers bound to the lease from the connection, and decides whether the connection is reused or destroyed.
    /// </summary>
    // While a statement runs on another thread, the bound wrappers belong to that thread. They may stay bound, because the
    // connection is destroyed.
    public static LeaseEnd Choose(PhysicalConnection physical, EnlistedConnections enlisted) =>
        physical.IsInUse || !physical.Bound.TryDetach(physical) ? LeaseEnd.Discard
        : physical.Enlistment is { } enlistment && TryPark(physical, enlistment, enlisted) ? LeaseEnd.Park
        : TryReset(physical) ? LeaseEnd.Return
        : LeaseEnd.Discard;

    public static void End(PhysicalConnection physical, LeaseEnd end)
    {
        if (end == LeaseEnd.Return)
        {
            physical.Lease.Dispose();
        }
        else if (end == LeaseEnd.Discard)
        {
            physical.Lease.Discard();
        }
    }

    private static bool TryPark(PhysicalConnection physical, TransactionEnlistment enlistment, EnlistedConnections enlisted)
    {
        if (!physical.IsBroken && enlisted.TryPark(enlistment))
        {
            return true;
        }

        physical.Enlistment = null;
        return false;
    }

    /// <summary>
    /// Resets the session now if that takes no round trip; otherwise the pool resets it later. False if the reset failed.
    /// </summary>
    private static bool TryReset(PhysicalConnection physical)
    {
        try
        {
            physical.TryResetAtOnce();
            return true;
        }
#pragma warning disable CA1031 // Whatever the provider throws says that the connection cannot be used.
        catch (Exception)
#pragma warning restore CA1031
        {
            return false;
        }
    }
}
