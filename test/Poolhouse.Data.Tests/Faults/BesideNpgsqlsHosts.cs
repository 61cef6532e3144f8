using System.Data.Common;
using Npgsql;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>
/// Two PostgreSQL servers, of which one fails. The rule: Poolhouse serves as many calls, with as few errors, as Npgsql's own data
/// source for several hosts.
/// </summary>
public sealed class BesideNpgsqlsHosts(TwoServers servers) : IClassFixture<TwoServers>
{
    private const int Calls = 20;

    // In seconds. The test waits that long; the other host must answer within it, also on a busy machine.
    private const int PatienceWithAFrozenHost = 10;
    private const string Write = "CREATE TEMP TABLE IF NOT EXISTS written (id int)";

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    // Nothing is open yet: each connection is attempted at the host that does not answer, or the failure is already known.
    [Fact]
    public async Task A_frozen_host_fails_no_more_callers()
    {
        var (first, second) = await servers.StartAsync();
        await using var ours = Ours(first, second, PatienceWithAFrozenHost);
        await using var theirs = Theirs(first, second, pooling: true, PatienceWithAFrozenHost);
        first.Freeze();
        try
        {
            await AssertAsGoodAsync(
                ours, theirs, source => Task.WhenAll(Enumerable.Range(0, Calls).Select(_ => TryAsync(source, "SELECT 1"))));
        }
        finally
        {
            first.Thaw();
        }
    }

    // Its idle connections are stale, but appear to work.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_killed_host_causes_no_further_errors(bool immediate)
    {
        var (first, second) = await servers.StartAsync();
        await using var ours = Ours(first, second);
        await using var theirs = Theirs(first, second, pooling: true);
        await FillAsync(ours);
        await FillAsync(theirs);

        await first.StopAsync(immediate ? PostgresStop.Immediate : PostgresStop.Fast);

        await AssertAsGoodAsync(ours, theirs, source => CallInTurnAsync(source, "SELECT 1"));
    }

    [Theory]
    [InlineData(null, 1, 1)]
    [InlineData("primary", 1, 2)]
    [InlineData("read-write", 1, 2)]
    [InlineData("prefer-standby", 1, 1)]
    [InlineData("read-only", 2, 2)]
    [InlineData("standby", 2, 2)]
    public async Task A_string_with_several_hosts_leads_to_the_same_host(string? attributes, int demoted, int host)
    {
        var (first, second) = await servers.StartAsync();
        await TwoServers.DemoteAsync(demoted == 1 ? first : second);
        var text = new NpgsqlConnectionStringBuilder(TextOf(first))
        {
            Host = $"127.0.0.1:{first.Port}, 127.0.0.1:{second.Port}",
            TargetSessionAttributes = attributes,
        };
        await using var ours = PooledDataSource.Create(NpgsqlFactory.Instance, text.ConnectionString);
        Assert.Equal(host == 1 ? first.Port : second.Port, await PortOfAsync(ours));
        Assert.Equal(2, ours.Servers!.GetStatistics().Count);
        var changed = new DbPoolOptions { Pool = { MaxSize = 5 } };
        ours.Reconfigure(changed);
        Assert.Equal(host == 1 ? first.Port : second.Port, await PortOfAsync(ours));
    }

    // Npgsql accepts one as a primary: a role may be read-only by default.
    [Fact]
    public async Task A_primary_that_is_read_only_by_default_is_a_primary()
    {
        var (first, second) = await servers.StartAsync();
        var text = new NpgsqlConnectionStringBuilder(TextOf(first))
        {
            Host = $"127.0.0.1:{first.Port},127.0.0.1:{second.Port}",
            TargetSessionAttributes = "primary",
            Options = "-c default_transaction_read_only=on",
        };
        await using var ours = PooledDataSource.Create(NpgsqlFactory.Instance, text.ConnectionString);
        Assert.Equal(first.Port, await PortOfAsync(ours));
    }

    [Fact]
    public async Task A_string_with_several_hosts_opens_at_most_MaxSize_sessions()
    {
        var (first, second) = await servers.StartAsync();
        await using var hosts = Theirs(first, second, pooling: true);
        var text = new NpgsqlConnectionStringBuilder(TextOf(first))
        {
            Host = new NpgsqlConnectionStringBuilder(hosts.ConnectionString).Host,
            LoadBalanceHosts = true,
            ApplicationName = nameof(A_string_with_several_hosts_opens_at_most_MaxSize_sessions),
        };
        var options = new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 2 } };
        await using var ours = PooledDataSource.Create(NpgsqlFactory.Instance, text.ConnectionString, options);
        for (var call = 0; call < Calls; call++)
        {
            await using var one = await ours.OpenConnectionAsync(Token);
            await using var other = await ours.OpenConnectionAsync(Token);
            await ExecuteAsync(one);
            await ExecuteAsync(other);
        }

        Assert.InRange(
            await CountAsync(first, text.ApplicationName) + await CountAsync(second, text.ApplicationName), 1,
            options.Pool.MaxSize);
    }

    // The roles are Npgsql's: Poolhouse pools what its data source opens, as the guide says.
    [Fact]
    public async Task A_demoted_host_gets_no_more_writes()
    {
        var (first, second) = await servers.StartAsync();
        await using var hosts = Theirs(first, second, pooling: false);
        await using var ours = PooledDataSource.Create(hosts.WithTargetSession(TargetSessionAttributes.Primary));
        await using var pooling = Theirs(first, second, pooling: true);
        await using var theirs = pooling.WithTargetSession(TargetSessionAttributes.Primary);
        await FillAsync(ours);
        await FillAsync(theirs);

        await TwoServers.DemoteAsync(first);

        await AssertAsGoodAsync(ours, theirs, source => CallInTurnAsync(source, Write));
        Assert.Equal(second.Port, await PortOfAsync(ours));
    }

    [Fact]
    public async Task A_string_serves_as_many_calls_when_a_host_is_demoted()
    {
        var (first, second) = await servers.StartAsync();
        await using var pooling = Theirs(first, second, pooling: true);
        await using var theirs = pooling.WithTargetSession(TargetSessionAttributes.ReadWrite);
        var text = new NpgsqlConnectionStringBuilder(TextOf(first))
        {
            Host = new NpgsqlConnectionStringBuilder(pooling.ConnectionString).Host,
            TargetSessionAttributes = "read-write",
        };
        await using var ours = PooledDataSource.Create(NpgsqlFactory.Instance, text.ConnectionString);
        await FillAsync(ours);
        await FillAsync(theirs);

        await TwoServers.DemoteAsync(first);

        await AssertAsGoodAsync(ours, theirs, source => CallInTurnAsync(source, Write));
        Assert.Equal(second.Port, await PortOfAsync(ours));
    }

    private static async Task AssertAsGoodAsync(
        DbDataSource ours, DbDataSource theirs, Func<DbDataSource, Task<bool[]>> callAsync)
    {
        var served = await Patience.WithinAsync(Task.WhenAll(callAsync(ours), callAsync(theirs)));
        var (our, their) = (served[0].Count(each => !each), served[1].Count(each => !each));
        TestContext.Current.SendDiagnosticMessage("errors: Poolhouse {0}, Npgsql {1}", our, their);
        Assert.InRange(our, 0, their);
    }

    private static PooledDataSource Ours(TemporaryPostgres first, TemporaryPostgres second, int timeout = 30) =>
        PooledDataSource.Create(
            [NpgsqlDataSource.Create(TextOf(first, timeout) + ";Pooling=false"),
                NpgsqlDataSource.Create(TextOf(second, timeout) + ";Pooling=false")]);

    private static NpgsqlMultiHostDataSource Theirs(
        TemporaryPostgres first, TemporaryPostgres second, bool pooling, int timeout = 30)
    {
        var text = new NpgsqlConnectionStringBuilder(TextOf(first, timeout))
        {
            Host = $"127.0.0.1:{first.Port},127.0.0.1:{second.Port}",
            Pooling = pooling,
        };
        return new NpgsqlDataSourceBuilder(text.ConnectionString).BuildMultiHost();
    }

    private static async Task ExecuteAsync(DbConnection connection)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT 1";
        await command.ExecuteNonQueryAsync(Token);
    }

    private static async Task<long> CountAsync(TemporaryPostgres server, string applicationName)
    {
        await using var source = NpgsqlDataSource.Create(server.ConnectionString + ";Pooling=false");
        await using var command = source.CreateCommand("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1");
        command.Parameters.Add(new NpgsqlParameter { Value = applicationName });
        return (long)(await command.ExecuteScalarAsync(Token))!;
    }

    private static string TextOf(TemporaryPostgres server, int timeout = 30) =>
        FormattableString.Invariant($"{server.ConnectionString};Timeout={timeout}");

    private static async Task FillAsync(DbDataSource source)
    {
        var open = new List<DbConnection>();
        for (var each = 0; each < Calls; each++)
        {
            open.Add(await source.OpenConnectionAsync(Token));
        }

        foreach (var connection in open)
        {
            await connection.DisposeAsync();
        }
    }

    private static async Task<bool[]> CallInTurnAsync(DbDataSource source, string statement)
    {
        var served = new bool[2 * Calls];
        for (var call = 0; call < served.Length; call++)
        {
            served[call] = await TryAsync(source, statement);
        }

        return served;
    }

    private static async Task<bool> TryAsync(DbDataSource source, string statement)
    {
        try
        {
            await using var connection = await source.OpenConnectionAsync(Token);
            await using var command = connection.CreateCommand();
            command.CommandText = statement;
            await command.ExecuteNonQueryAsync(Token);
            return true;
        }
        catch (DbException)
        {
            return false;
        }
    }

    private static async Task<int> PortOfAsync(DbDataSource source)
    {
        await using var connection = await source.OpenConnectionAsync(Token);
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT current_setting('port')::int";
        return (int)(await command.ExecuteScalarAsync(Token))!;
    }
}
