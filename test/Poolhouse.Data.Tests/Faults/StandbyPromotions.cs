using System.Data.Common;
using System.Diagnostics;
using Npgsql;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>A PostgreSQL server and its standby, behind a pool for writing and one for reading.</summary>
public sealed class StandbyPromotions
{
    private static readonly TemporaryPostgresOptions _options = new()
    {
        Settings = new Dictionary<string, string>(StringComparer.Ordinal)
        {
            ["wal_level"] = "replica",
            ["max_wal_senders"] = "4",
        },
    };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_promoted_standby_takes_the_writes_and_no_read_fails() => await FailOverAsync();

    // The time from the end of the promotion to the end of the first write.
    [Fact(Explicit = true)]
    public async Task The_first_write_succeeds_within_a_second_after_the_promotion()
    {
        var times = new List<TimeSpan>();
        for (var round = 0; round < 20; round++)
        {
            times.Add(await FailOverAsync());
        }

        times.Sort();
        TestContext.Current.TestOutputHelper!.WriteLine(
            $"median {times[10].TotalMilliseconds:F0} ms, p95 {times[18].TotalMilliseconds:F0} ms");
        Assert.True(times[18] <= TimeSpan.FromSeconds(1), $"p95 is {times[18].TotalMilliseconds:F0} ms.");
    }

    // The living sessions read the setting with their next command, and refuse writes from then on.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_server_that_becomes_read_only_fails_at_most_the_leases_that_are_out_and_one_more(bool severalHosts)
    {
        await using var server = await PostgresServer.StartOwnAsync(_options);
        await using var admin = Source(server);
        await ExecuteAsync(admin, "CREATE TABLE notes (line TEXT)");
        var options = Requiring(RequiredRole.Primary);
        options.Pool.OutageTimeout = TimeSpan.FromMilliseconds(300);
        var set = new ServerSet<DbDataSource>([admin]);
        await using var source = severalHosts
            ? PooledDataSource.Create(set, options)
            : PooledDataSource.Create(NpgsqlFactory.Instance, server.ConnectionString, options);
        var open = new List<DbConnection>();
        for (var each = 0; each < 10; each++)
        {
            open.Add(await source.OpenConnectionAsync(Token));
        }

        foreach (var idle in open.Skip(3))
        {
            await idle.DisposeAsync();
        }

        await ExecuteAsync(admin, "ALTER SYSTEM SET default_transaction_read_only = on");
        await ExecuteAsync(admin, "SELECT pg_reload_conf()");
        await UntilReadOnlyAsync(admin, "on");

        var refused = 0;
        foreach (var leased in open.Take(3))
        {
            refused += await TryWriteAsync(leased) ? 0 : 1;
            await leased.DisposeAsync();
        }

        for (var call = 0; call < 5; call++)
        {
            try
            {
                await using var connection = await source.OpenConnectionAsync(Token);
                refused += await TryWriteAsync(connection) ? 0 : 1;
            }
            catch (DbPoolException unavailable)
            {
                Assert.True(unavailable.IsTransient);
            }
        }

        Assert.InRange(refused, 1, 4);

        await ExecuteAsync(admin, "SET default_transaction_read_only = off; ALTER SYSTEM RESET default_transaction_read_only");
        await ExecuteAsync(admin, "SELECT pg_reload_conf()");
        await UntilReadOnlyAsync(admin, "off");
        await Patience.UntilAsync(
            async () =>
            {
                try
                {
                    await using var connection = await source.OpenConnectionAsync(Token);
                    return await TryWriteAsync(connection);
                }
                catch (DbPoolException)
                {
                    return false;
                }
            },
            written => written, "writes succeed again");
    }

    [Fact]
    public async Task A_users_own_read_only_transaction_says_nothing_about_the_server()
    {
        await using var server = await PostgresServer.StartOwnAsync();
        var options = Requiring(RequiredRole.Primary);
        options.Pool.MaxSize = 1;
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, server.ConnectionString, options);
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            Assert.False(await TryAsync(connection, "BEGIN READ ONLY; CREATE TABLE notes (line TEXT)"));
        }

        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            Assert.True(await TryAsync(connection, "CREATE TABLE notes (line TEXT)"));
        }

        Assert.Equal(1, source.GetStatistics().Created);
    }

    private static async Task<TimeSpan> FailOverAsync()
    {
        await using var primary = await PostgresServer.StartOwnAsync(_options);
        await using (var admin = Source(primary))
        {
            await ExecuteAsync(admin, "CREATE TABLE notes (line TEXT)");
        }

        await using var standby = await primary.StartStandbyAsync(Token);
        await using var first = Source(primary);
        await using var second = Source(standby);
        var servers = new ServerSet<DbDataSource>([first, second]);
        await using var writing = PooledDataSource.Create(servers, Requiring(RequiredRole.Primary));
        await using var reading = PooledDataSource.Create(servers, Requiring(RequiredRole.PreferStandby));
        await WriteUntilItSucceedsAsync(writing);
        Assert.Equal(standby.Port, await ReadAsync(reading));
        Assert.Equal(
            [ServerRole.Primary, ServerRole.Standby], servers.GetStatistics().Select(each => each.Role));
        using var stop = new CancellationTokenSource();
        var reads = Task.Run(
            async () =>
            {
                while (!stop.IsCancellationRequested)
                {
                    await ReadAsync(reading);
                }
            },
            Token);

        await primary.StopAsync(PostgresStop.Immediate);
        var written = Task.Run(async () => await WriteUntilItSucceedsAsync(writing), Token);
        await using (var admin = Source(standby))
        {
            await ExecuteAsync(admin, "SELECT pg_promote()");
        }

        var promotedAt = Stopwatch.GetTimestamp();
        var writtenAt = await Patience.WithinAsync(written);
        await stop.CancelAsync();
        await Patience.WithinAsync(reads);
        Assert.Equal(ServerRole.Primary, servers.GetStatistics()[1].Role);
        return Stopwatch.GetElapsedTime(promotedAt, Math.Max(promotedAt, writtenAt));
    }

    private static async Task<long> WriteUntilItSucceedsAsync(PooledDataSource source)
    {
        while (true)
        {
            try
            {
                await using var connection = await source.OpenConnectionAsync(Token);
                Assert.True(await TryWriteAsync(connection), "A standby got a write.");
                return Stopwatch.GetTimestamp();
            }
            catch (DbException)
            {
                // There is no primary yet.
            }
        }
    }

    private static async Task<int> ReadAsync(PooledDataSource source)
    {
        await using var connection = await source.OpenConnectionAsync(Token);
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT current_setting('port')::int FROM (SELECT count(*) FROM notes) AS counted";
        return (int)(await command.ExecuteScalarAsync(Token))!;
    }

    private static Task<bool> TryWriteAsync(DbConnection connection) =>
        TryAsync(connection, "INSERT INTO notes VALUES ('written')");

    /// <returns>False if the server refused a write.</returns>
    private static async Task<bool> TryAsync(DbConnection connection, string statement)
    {
        try
        {
            await using var command = connection.CreateCommand();
            command.CommandText = statement;
            await command.ExecuteNonQueryAsync(Token);
            return true;
        }
        catch (PostgresException refused) when (refused.SqlState is "25006")
        {
            return false;
        }
    }

    private static Task UntilReadOnlyAsync(NpgsqlDataSource admin, string value) => Patience.UntilAsync(
        async () =>
        {
            await using var command = admin.CreateCommand("SHOW default_transaction_read_only");
            return (string)(await command.ExecuteScalarAsync(Token))!;
        },
        shown => string.Equals(shown, value, StringComparison.Ordinal), "the server has read its settings");

    private static async Task ExecuteAsync(NpgsqlDataSource source, string statement)
    {
        await using var connection = await source.OpenConnectionAsync(Token);
        foreach (var each in statement.Split(';'))
        {
            await using var command = new NpgsqlCommand(each, connection);
            await command.ExecuteNonQueryAsync(Token);
        }
    }

    private static NpgsqlDataSource Source(TemporaryPostgres server) =>
        NpgsqlDataSource.Create(server.ConnectionString + ";Pooling=false");

    private static DbPoolOptions Requiring(RequiredRole role) => new() { RequiredRole = role };
}
