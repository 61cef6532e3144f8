using System.Data.Common;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>Callers that rent a connection, run a query, return the connection, and start again at once.</summary>
/// <param name="source">The source of the connections.</param>
/// <param name="query">The query of each caller.</param>
/// <param name="callers">The number of callers.</param>
/// <param name="areThreads">Whether each is a thread that uses the synchronous methods; otherwise they are asynchronous.</param>
/// <param name="time">The clock.</param>
internal sealed class ClosedLoad(DbDataSource source, string query, int callers, bool areThreads, TimeProvider time)
{
    /// <summary>Runs the callers for the given time.</summary>
    /// <param name="warmUp">The time before anything is counted.</param>
    /// <param name="watch">The time during which queries are counted.</param>
    /// <param name="cancellation">Stops the callers.</param>
    /// <exception cref="DbException">A query failed; the other callers have stopped.</exception>
    public async Task<LoadResult> RunAsync(TimeSpan warmUp, TimeSpan watch, CancellationToken cancellation)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        var window = new Window(time.GetTimestamp(), warmUp.TotalSeconds, (warmUp + watch).TotalSeconds);
        var latencies = Enumerable.Range(0, callers).Select(_ => new List<double>()).ToList();
        await Task.WhenAll(latencies.Select(list => GuardAsync(StartAsync(list, window, stop.Token), stop)))
            .ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        return new LoadResult(watch.TotalSeconds, [.. latencies.SelectMany(list => list).Order()]);
    }

    // The first failure is the one to report; failures of the others after they were stopped are its consequence.
    private static async Task GuardAsync(Task caller, CancellationTokenSource stop)
    {
        try
        {
            await caller.ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // Another caller failed, or the run ends.
        }
        catch
        {
            var isFirst = !stop.IsCancellationRequested;
            await stop.CancelAsync().ConfigureAwait(false);
            if (isFirst)
            {
                throw;
            }
        }
    }

    private Task StartAsync(List<double> latencies, Window window, CancellationToken stop) => areThreads
        ? Task.Factory.StartNew(
            () => Call(latencies, window, stop), stop, TaskCreationOptions.LongRunning, TaskScheduler.Default)
        : Task.Run(() => CallAsync(latencies, window, stop), stop);

    private void Call(List<double> latencies, Window window, CancellationToken stop)
    {
        for (var came = Now(window); came < window.To && !stop.IsCancellationRequested; came = Now(window))
        {
            using (var connection = source.OpenConnection())
            {
                if (Now(window) >= window.To)
                {
                    // Cancelled while it waited: with few connections, the queue would take long to drain.
                    return;
                }

                Statement.Run(connection, query);
            }

            Note(latencies, window, came);
        }
    }

    private async Task CallAsync(List<double> latencies, Window window, CancellationToken stop)
    {
        for (var came = Now(window); came < window.To; came = Now(window))
        {
            var connection = await source.OpenConnectionAsync(stop).ConfigureAwait(false);
            await using (connection.ConfigureAwait(false))
            {
                if (Now(window) >= window.To)
                {
                    return;
                }

                await Statement.RunAsync(connection, query, stop).ConfigureAwait(false);
            }

            Note(latencies, window, came);
        }
    }

    private void Note(List<double> latencies, Window window, double came)
    {
        var now = Now(window);
        if (now >= window.From && now < window.To)
        {
            latencies.Add(now - came);
        }
    }

    private double Now(Window window) => time.GetElapsedTime(window.Zero).TotalSeconds;

    /// <summary>The period in which a query must end to be counted, in seconds after a timestamp.</summary>
    private sealed record Window(long Zero, double From, double To);
}
