using System.Data.Common;
using System.Diagnostics;
using Dapper;
using Npgsql;
using Poolhouse.Data;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>What goes to the server and back.</summary>
internal static class DatabaseQueries
{
    /// <summary>A query takes about as long as some hundred pairs of the other bars.</summary>
    public const int QueriesPerCall = 50;

    /// <summary>
    /// Some milliseconds, in which both sides have closed their old connections and the new server process has filled its caches.
    /// </summary>
    public const int QueriesBeforeRound = 200;
    private const string Rows = "SELECT i AS Id, 'name ' || i AS Name FROM generate_series(1, 10) AS i";

    /// <summary>Nanoseconds for open, SELECT and close.</summary>
    public static double Select(DbDataSource source, int calls)
    {
        Replace(source);
        var started = Stopwatch.GetTimestamp();
        for (var i = 0; i < calls * QueriesPerCall; i++)
        {
            using var connection = source.OpenConnection();
            using var command = connection.CreateCommand();
            command.CommandText = "SELECT 1";
            using var reader = command.ExecuteReader();
            reader.Read();
            reader.GetInt32(0);
        }

        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / (calls * (double)QueriesPerCall);
    }

    /// <summary>The same without holding the thread.</summary>
    public static double SelectAsynchronously(DbDataSource source, int calls)
    {
        return RunAsync().Result;

        async Task<double> RunAsync()
        {
            Replace(source);
            var started = Stopwatch.GetTimestamp();
            for (var i = 0; i < calls * QueriesPerCall; i++)
            {
                await using var connection = await source.OpenConnectionAsync();
                await using var command = connection.CreateCommand();
                command.CommandText = "SELECT 1";
                await using var reader = await command.ExecuteReaderAsync();
                await reader.ReadAsync();
                reader.GetInt32(0);
            }

            return Stopwatch.GetElapsedTime(started).TotalNanoseconds / (calls * (double)QueriesPerCall);
        }
    }

    /// <summary>The same from eight callers at once, on a source with fewer connections.</summary>
    public static double SelectInACrowd(DbDataSource source, int calls)
    {
        const int Callers = 8;
        var started = Stopwatch.GetTimestamp();
        var callers = Enumerable.Range(0, Callers).Select(_ => Task.Run(async () =>
        {
            for (var i = 0; i < calls * QueriesPerCall / Callers; i++)
            {
                await using var connection = await source.OpenConnectionAsync();
                await using var command = connection.CreateCommand();
                command.CommandText = "SELECT 1";
                await command.ExecuteScalarAsync();
            }
        }));
        Task.WhenAll(callers).Wait();
        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / (calls * (double)QueriesPerCall);
    }

    /// <summary>A SELECT on a leased connection, which its caller resets first: a round trip more.</summary>
    public static double SelectAfterReset(int calls)
    {
        var started = Stopwatch.GetTimestamp();
        for (var i = 0; i < calls * QueriesPerCall; i++)
        {
            using var lease = DatabasePools.Raw.Rent();
            using (var reset = new NpgsqlCommand("DISCARD ALL", lease.Value))
            {
                reset.ExecuteNonQuery();
            }

            using var command = new NpgsqlCommand("SELECT 1", lease.Value);
            using var reader = command.ExecuteReader();
            reader.Read();
            reader.GetInt32(0);
        }

        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / (calls * (double)QueriesPerCall);
    }

    /// <summary>
    /// A SELECT behind the reset in one batch, whose error barriers end the one's transaction before the other's.
    /// </summary>
    public static double SelectBehindReset(int calls)
    {
        var started = Stopwatch.GetTimestamp();
        for (var i = 0; i < calls * QueriesPerCall; i++)
        {
            using var lease = DatabasePools.Raw.Rent();
            using var batch = new NpgsqlBatch(lease.Value) { EnableErrorBarriers = true };
            batch.BatchCommands.Add(new NpgsqlBatchCommand("DISCARD ALL"));
            batch.BatchCommands.Add(new NpgsqlBatchCommand("SELECT 1"));
            using var reader = batch.ExecuteReader();
            reader.Read();
            reader.GetInt32(0);
        }

        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / (calls * (double)QueriesPerCall);
    }

    /// <summary>Nanoseconds for Dapper's query of ten rows on an open connection.</summary>
    public static double Dapper(DbDataSource source, int calls)
    {
        Replace(source);
        using var connection = source.OpenConnection();
        connection.Query<Row>(Rows);
        var started = Stopwatch.GetTimestamp();
        var rows = 0;
        for (var i = 0; i < calls * QueriesPerCall; i++)
        {
            rows += connection.Query<Row>(Rows).AsList().Count;
        }

        GC.KeepAlive(rows);
        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / (calls * (double)QueriesPerCall);
    }

    // Whether the server process of a connection runs on the core of its client changes the time by more than a third, for as
    // long as both live. With new connections in each round, the median covers many placements. Replacing them is not part of the
    // round: Poolhouse closes the old ones in the background, and loads the types of the database for each new one.
    private static void Replace(DbDataSource source)
    {
        if (source is PooledDataSource pooled)
        {
            pooled.Clear();
        }
        else
        {
            ((NpgsqlDataSource)source).Clear();
        }

        for (var i = 0; i < QueriesBeforeRound; i++)
        {
            using var connection = source.OpenConnection();
            using var command = connection.CreateCommand();
            command.CommandText = "SELECT 1";
            command.ExecuteScalar();
        }
    }

#pragma warning disable CA1812 // Dapper makes them.
    private sealed record Row(int Id, string Name);
#pragma warning restore CA1812
}
