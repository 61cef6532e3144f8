namespace Poolhouse.Data.Sessions;

/// <summary>Ends the leases of wrappers that are closed.</summary>
internal static class LeaseEnds
{
    /// <summary>
    /// Detaches the wrappers bound to the lease from the connection, which is then reused, parked with its transaction or
    /// destroyed.
    /// </summary>
    // While a statement runs on another thread, the bound wrappers belong to that thread. They may stay bound, because the
    // connection is destroyed.
    public static void End(PhysicalConnection physical, EnlistedConnections enlisted)
    {
        if (!TryDetach(physical) || !TryCloseReader(physical))
        {
            physical.Lease.Discard();
        }
        else if (!TryPark(physical, enlisted))
        {
            physical.Lease.Dispose();
        }
    }

    /// <inheritdoc cref="End"/>
    /// <summary>The same without blocking.</summary>
    /// <returns>A task that completes when the session has been reset, if the pool waits for that.</returns>
    public static ValueTask EndAsync(PhysicalConnection physical, EnlistedConnections enlisted)
    {
        if (!TryDetach(physical))
        {
            physical.Lease.Discard();
            return default;
        }

        return TakeEnlistedReader(physical) is { } reader
            ? EndAfterAsync(reader, physical, enlisted)
            : EndDetachedAsync(physical, enlisted);
    }

    private static bool TryDetach(PhysicalConnection physical) => !physical.IsInUse && physical.Bound.TryDetach(physical);

    private static ValueTask EndDetachedAsync(PhysicalConnection physical, EnlistedConnections enlisted) =>
        TryPark(physical, enlisted) ? default : physical.Lease.DisposeAsync();

    private static async ValueTask EndAfterAsync(OpenReader reader, PhysicalConnection physical, EnlistedConnections enlisted)
    {
        try
        {
            await reader.Reader.DisposeAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // Whatever the provider throws says that the connection cannot be used.
        catch (Exception)
#pragma warning restore CA1031
        {
            physical.Lease.Discard();
            return;
        }

        await EndDetachedAsync(physical, enlisted).ConfigureAwait(false);
    }

    /// <summary>
    /// Closes the reader that was left open on an enlisted connection. False if that failed.
    /// </summary>
    private static bool TryCloseReader(PhysicalConnection physical)
    {
        try
        {
            TakeEnlistedReader(physical)?.Reader.Dispose();
            return true;
        }
#pragma warning disable CA1031 // Whatever the provider throws says that the connection cannot be used.
        catch (Exception)
#pragma warning restore CA1031
        {
            return false;
        }
    }

    // The pool closes a reader before the reset, but a connection that takes part in a transaction is not reset: a provider
    // cannot commit while a reader is open, and its own close closes the reader.
    private static OpenReader? TakeEnlistedReader(PhysicalConnection physical)
    {
        if (physical.Enlistment is null)
        {
            return null;
        }

        var reader = physical.OpenReader;
        physical.OpenReader = null;
        return reader;
    }

    private static bool TryPark(PhysicalConnection physical, EnlistedConnections enlisted)
    {
        if (physical.Enlistment is not { } enlistment)
        {
            return false;
        }

        if (!physical.IsBroken && enlisted.TryPark(enlistment))
        {
            return true;
        }

        physical.Enlistment = null;
        return false;
    }
}
