using System.Runtime.CompilerServices;
using Poolhouse.Data.Metrics;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Data.Sessions;

/// <summary>Rents for code that expects a <see cref="System.Data.Common.DbException"/> when there is no connection.</summary>
internal static class DbRentTranslator
{
    /// <param name="pool">The pool.</param>
    /// <param name="reporter">Measures the wait.</param>
    /// <param name="timeout">That of this caller; null for that of the pool.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public static ValueTask<Lease<T>> RentAsync<T>(
        ResourcePool<T> pool, DbPoolReporter reporter, TimeSpan? timeout, CancellationToken cancellationToken)
        where T : notnull
    {
        var began = reporter.Begin();
        return FinishAsync(
            reporter,
            began,
            timeout is { } limit ? pool.RentAsync(limit, cancellationToken) : pool.RentAsync(cancellationToken));
    }

    /// <inheritdoc cref="RentAsync{T}"/>
    public static Lease<T> Rent<T>(
        ResourcePool<T> pool, DbPoolReporter reporter, TimeSpan? timeout, CancellationToken cancellationToken)
        where T : notnull
    {
        var began = reporter.Begin();
        try
        {
            var lease = timeout is { } limit ? pool.Rent(limit, cancellationToken) : pool.Rent(cancellationToken);
            reporter.Got(began);
            return lease;
        }
        catch (Exception refusal) when (refusal is PoolTimeoutException or PoolOverloadedException or PoolUnavailableException)
        {
            throw new DbPoolException(refusal);
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

    private static ValueTask<Lease<T>> FinishAsync<T>(DbPoolReporter reporter, long began, ValueTask<Lease<T>> rent)
        where T : notnull
    {
        if (rent.IsCompletedSuccessfully)
        {
            reporter.Got(began);
            return rent;
        }

        // A caller that is refused at once has not waited.
        return WaitingRent<T>.AfterAsync(rent, reporter, rent.IsCompleted ? DbPoolReporter.Unmeasured : began);
    }

    private static WaitOutcome OutcomeOf(Exception exception) => exception switch
    {
        PoolTimeoutException => WaitOutcome.TimedOut,
        PoolOverloadedException => WaitOutcome.Shed,
        OperationCanceledException => WaitOutcome.Cancelled,
        ObjectDisposedException => WaitOutcome.Closed,
        _ => WaitOutcome.Failed,
    };

    /// <summary>What follows the wait of a caller.</summary>
    private sealed class WaitingRent<T> : ReusableContinuation<WaitingRent<T>, Lease<T>, Lease<T>>
        where T : notnull
    {
        private DbPoolReporter? _reporter;
        private long _began;

        public static ValueTask<Lease<T>> AfterAsync(ValueTask<Lease<T>> rent, DbPoolReporter reporter, long began)
        {
            var waiting = Take();
            (waiting._reporter, waiting._began) = (reporter, began);
            return waiting.BeginAsync(rent);
        }

        protected override Lease<T> Continue(ConfiguredValueTaskAwaitable<Lease<T>>.ConfiguredValueTaskAwaiter awaiter)
        {
            var reporter = _reporter!;
            _reporter = null;
            try
            {
#pragma warning disable VSTHRD002 // It has completed.
                var lease = awaiter.GetResult();
#pragma warning restore VSTHRD002
                reporter.Got(_began);
                reporter.Awaited(_began, WaitOutcome.Served);
                return lease;
            }
            catch (Exception refusal)
                when (refusal is PoolTimeoutException or PoolOverloadedException or PoolUnavailableException)
            {
                reporter.Awaited(_began, OutcomeOf(refusal));
                throw new DbPoolException(refusal);
            }
            catch (Exception failure)
            {
                reporter.Awaited(_began, OutcomeOf(failure));
                throw;
            }
        }
    }
}
