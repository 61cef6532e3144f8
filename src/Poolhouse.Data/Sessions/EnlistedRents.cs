using System.Transactions;

namespace Poolhouse.Data.Sessions;

/// <summary>
/// Rents inside a transaction of System.Transactions: the lease that was parked with the transaction, or a new one, which joins
/// it.
/// </summary>
internal static class EnlistedRents
{
    public static Lease<PhysicalConnection> Rent(PooledDataSource source, Transaction transaction)
    {
        if (!source.Enlisted.TryTake(transaction, out var lease))
        {
            return Join(source, DbRentTranslator.Rent(source.Pool, source.Reporter, CancellationToken.None), transaction);
        }

        try
        {
            TakeReader(lease)?.Reader.Dispose();
            return lease;
        }
        catch
        {
            lease.Discard();
            throw;
        }
    }

    public static async ValueTask<Lease<PhysicalConnection>> RentAsync(
        PooledDataSource source, Transaction transaction, CancellationToken cancellationToken)
    {
        if (!source.Enlisted.TryTake(transaction, out var lease))
        {
            return Join(
                source, await DbRentTranslator.RentAsync(source.Pool, source.Reporter, cancellationToken).ConfigureAwait(false),
                transaction);
        }

        try
        {
            if (TakeReader(lease) is { } reader)
            {
                await reader.Reader.DisposeAsync().ConfigureAwait(false);
            }

            return lease;
        }
        catch
        {
            lease.Discard();
            throw;
        }
    }

    private static Lease<PhysicalConnection> Join(
        PooledDataSource source, Lease<PhysicalConnection> lease, Transaction transaction)
    {
        var physical = lease.Value;
        physical.Touch();
        try
        {
            source.Enlisted.Enlist(lease, physical, transaction);
            return lease;
        }
        catch
        {
            lease.Dispose();
            throw;
        }
    }

    /// <summary>The reader that was left open when the connection was closed inside the transaction.</summary>
    private static OpenReader? TakeReader(Lease<PhysicalConnection> parked)
    {
        var physical = parked.Value;
        var reader = physical.OpenReader;
        physical.OpenReader = null;
        return reader;
    }
}
