using System.Runtime.CompilerServices;
using Poolhouse.Data.Metrics;

namespace Poolhouse.Data.Sessions;

/// <summary>Rents for code that expects a <see cref="System.Data.Common.DbException"/> when there is no connection.</summary>
internal static class DbRentTranslator
{
    public static ValueTask<Lease<T>> RentAsync<T>(
        ResourcePool<T> pool, DbPoolReporter reporter, CancellationToken cancellationToken)
        where T : notnull
    {
        var began = reporter.Begin();
        return FinishAsync(pool, reporter, began, pool.RentAsync(cancellationToken));
    }

    public static ValueTask<Lease<T>> RentAsync<T>(
        ResourcePool<T> pool, DbPoolReporter reporter, TimeSpan timeout, CancellationToken cancellationToken)
        where T : notnull
    {
        var began = reporter.Begin();
        return FinishAsync(pool, reporter, began, pool.RentAsync(timeout, cancellationToken));
    }

    public static Lease<T> Rent<T>(ResourcePool<T> pool, DbPoolReporter reporter, CancellationToken cancellationToken)
        where T : notnull
    {
        var began = reporter.Begin();
        try
        {
            var lease = pool.Rent(cancellationToken);
            reporter.Got(began);
            return lease;
        }
        catch (Exception refusal) when (refusal is PoolTimeoutException or PoolOverloadedException or PoolUnavailableException)
        {
            throw Translate(refusal);
        }
    }

    public static Lease<T> Rent<T>(
        ResourcePool<T> pool, DbPoolReporter reporter, TimeSpan timeout, CancellationToken cancellationToken)
        where T : notnull
    {
        var began = reporter.Begin();
        try
        {
            var lease = pool.Rent(timeout, cancellationToken);
            reporter.Got(began);
            return lease;
        }
        catch (Exception refusal) when (refusal is PoolTimeoutException or PoolOverloadedException or PoolUnavailableException)
        {
            throw Translate(refusal);
        }
    }

    public static bool TryRent<T>(ResourcePool<T> pool, DbPoolReporter reporter, out Lease<T> lease)
        where T : notnull
    {
        var began = reporter.Begin();
        if (!pool.TryRent(out lease))
        {
            return false;
        }

        reporter.Got(began);
        return true;
    }

    private static ValueTask<Lease<T>> FinishAsync<T>(
        ResourcePool<T> pool, DbPoolReporter reporter, long began, ValueTask<Lease<T>> rent)
        where T : notnull
    {
        if (rent.IsCompletedSuccessfully)
        {
            reporter.Got(began);
            return rent;
        }

        // A caller that is refused at once has not waited.
        return TranslateAsync(pool, reporter, rent.IsCompleted ? DbPoolReporter.Unmeasured : began, rent);
    }

    // Each wait for a connection runs this method; without the attribute, it would allocate nearly 200 bytes.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<Lease<T>> TranslateAsync<T>(
        ResourcePool<T> pool, DbPoolReporter reporter, long began, ValueTask<Lease<T>> rent)
        where T : notnull
    {
        try
        {
            var lease = await rent.ConfigureAwait(false);
            reporter.Got(began);
            reporter.Awaited(began, WaitOutcome.Served);
            return lease;
        }
        catch (Exception refusal) when (refusal is PoolTimeoutException or PoolOverloadedException or PoolUnavailableException)
        {
            reporter.Awaited(began, OutcomeOf(refusal));
            throw Translate(refusal);
        }
        catch (Exception failure)
        {
            reporter.Awaited(began, OutcomeOf(failure));
            throw;
        }
    }

    private static WaitOutcome OutcomeOf(Exception exception) => exception switch
    {
        PoolTimeoutException => WaitOutcome.TimedOut,
        PoolOverloadedException => WaitOutcome.Shed,
        OperationCanceledException => WaitOutcome.Cancelled,
        ObjectDisposedException => WaitOutcome.Closed,
        _ => WaitOutcome.Failed,
    };

    private static DbPoolException Translate(Exception refusal) => refusal switch
    {
        PoolTimeoutException timeout => new DbPoolException(timeout),
        PoolOverloadedException overloaded => new DbPoolException(overloaded),
        _ => new DbPoolException((PoolUnavailableException)refusal),
    };
}
