using Poolhouse.Resources;

namespace Poolhouse.Data;

/// <summary>Rents for code that expects a <see cref="System.Data.Common.DbException"/> when there is no connection.</summary>
internal static class DbRents
{
    public static ValueTask<Lease<T>> RentAsync<T>(ResourcePool<T> pool, CancellationToken cancellationToken)
        where T : notnull
    {
        var rent = pool.RentAsync(cancellationToken);
        return rent.IsCompletedSuccessfully ? rent : TranslateAsync(pool, rent);
    }

    public static ValueTask<Lease<T>> RentAsync<T>(ResourcePool<T> pool, TimeSpan timeout, CancellationToken cancellationToken)
        where T : notnull
    {
        var rent = pool.RentAsync(timeout, cancellationToken);
        return rent.IsCompletedSuccessfully ? rent : TranslateAsync(pool, rent);
    }

    public static Lease<T> Rent<T>(ResourcePool<T> pool, CancellationToken cancellationToken)
        where T : notnull
    {
        try
        {
            return pool.Rent(cancellationToken);
        }
        catch (Exception refusal) when (refusal is PoolTimeoutException or PoolOverloadedException or PoolUnavailableException)
        {
            throw Translate(refusal, pool);
        }
    }

    public static Lease<T> Rent<T>(ResourcePool<T> pool, TimeSpan timeout, CancellationToken cancellationToken)
        where T : notnull
    {
        try
        {
            return pool.Rent(timeout, cancellationToken);
        }
        catch (Exception refusal) when (refusal is PoolTimeoutException or PoolOverloadedException or PoolUnavailableException)
        {
            throw Translate(refusal, pool);
        }
    }

    private static async ValueTask<Lease<T>> TranslateAsync<T>(ResourcePool<T> pool, ValueTask<Lease<T>> rent)
        where T : notnull
    {
        try
        {
            return await rent.ConfigureAwait(false);
        }
        catch (Exception refusal) when (refusal is PoolTimeoutException or PoolOverloadedException or PoolUnavailableException)
        {
            throw Translate(refusal, pool);
        }
    }

    private static DbPoolException Translate<T>(Exception refusal, ResourcePool<T> pool)
        where T : notnull => refusal switch
        {
            PoolTimeoutException timeout => new DbPoolException(timeout),
            PoolOverloadedException overloaded => new DbPoolException(overloaded),
            _ => new DbPoolException((PoolUnavailableException)refusal, pool.GetStatistics()),
        };
}
