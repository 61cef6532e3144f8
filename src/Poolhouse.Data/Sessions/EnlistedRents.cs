using System.Transactions;

namespace Poolhouse.Data.Sessions;

/// <summary>
/// Rents inside a transaction of System.Transactions: the lease that was parked with the transaction, or a new one, which joins
/// it.
/// </summary>
internal static class EnlistedRents
{
    public static Lease<PhysicalConnection> Rent(PooledDataSource source, Transaction transaction) =>
        source.Enlisted.TryTake(transaction, out var lease)
            ? lease
            : Join(
                source,
                DbRentTranslator.Rent(source.Pool, source.Reporter, timeout: null, CancellationToken.None),
                transaction);

    public static async ValueTask<Lease<PhysicalConnection>> RentAsync(
        PooledDataSource source, Transaction transaction, CancellationToken cancellationToken) =>
        source.Enlisted.TryTake(transaction, out var lease)
            ? lease
            : Join(
                source,
                await DbRentTranslator.RentAsync(source.Pool, source.Reporter, timeout: null, cancellationToken)
                    .ConfigureAwait(false),
                transaction);

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
}
