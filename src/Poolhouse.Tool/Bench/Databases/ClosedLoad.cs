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
    /// <summary>Runs the callers for the given time, or longer until one query has ended that counts.</summary>
    /// <param name="warmUp">The time before anything is counted.</param>
    /// <param name="watch">The time during which queries are counted.</param>
    /// <param name="cancellation">Stops the callers.</param>
    /// <exception cref="DbException">A query failed; the other callers have stopped.</exception>
    public async Task<LoadResult> RunAsync(TimeSpan warmUp, TimeSpan watch, CancellationToken cancellation)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        var window = new Window(time, warmUp, watch);
        var latencies = Enumerable.Range(0, callers).Select(_ => new List<double>()).ToList();
        await Task.WhenAll(latencies.Select(list => GuardAsync(StartAsync(list, window, stop.Token), stop)))
            .ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        return new LoadResult(window.Seconds, [.. latencies.SelectMany(list => list).Order()]);
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
        while (!window.IsOver && !stop.IsCancellationRequested)
        {
            var came = window.Now;
            using (var connection = source.OpenConnection())
            {
                if (window.IsOver || stop.IsCancellationRequested)
                {
                    // It waited until now: with few connections, the queue would take long to drain.
                    return;
                }

                Statement.Run(connection, query);
            }

            window.Note(latencies, came);
        }
    }

    private async Task CallAsync(List<double> latencies, Window window, CancellationToken stop)
    {
        while (!window.IsOver)
        {
            var came = window.Now;
            var connection = await source.OpenConnectionAsync(stop).ConfigureAwait(false);
            await using (connection.ConfigureAwait(false))
            {
                if (window.IsOver)
                {
                    return;
                }

                await Statement.RunAsync(connection, query, stop).ConfigureAwait(false);
            }

            window.Note(latencies, came);
        }
    }

    /// <summary>The period in which a query must end to be counted. It lasts at least until one query is.</summary>
    private sealed class Window(TimeProvider time, TimeSpan warmUp, TimeSpan watch)
    {
        private readonly long _zero = time.GetTimestamp();
        private readonly TimeSpan _end = warmUp + watch;
        private TimeSpan _watched = watch;
        private bool _hasCounted;

        /// <summary>The time since the start.</summary>
        public TimeSpan Now => time.GetElapsedTime(_zero);

        public bool IsOver => Now >= _end && Volatile.Read(ref _hasCounted);

        /// <summary>The duration of the period. To be read when all callers have ended.</summary>
        public double Seconds => _watched.TotalSeconds;

        /// <summary>Counts a query that just ended, if it ended in the period.</summary>
        /// <param name="latencies">The counted queries of the caller.</param>
        /// <param name="came">When the caller asked for a connection.</param>
        public void Note(List<double> latencies, TimeSpan came)
        {
            var now = Now;
            if (now < warmUp)
            {
                return;
            }

            if (now < _end)
            {
                Volatile.Write(ref _hasCounted, true);
            }
            else if (Interlocked.Exchange(ref _hasCounted, true))
            {
                return;
            }
            else
            {
                _watched = now - warmUp;
            }

            latencies.Add((now - came).TotalSeconds);
        }
    }
}
