using System.Data;
using System.Data.Common;
using System.Diagnostics;
using Npgsql;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Servers;
using Poolhouse.Testing;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Two PostgreSQL servers behind one pool: a failure of one does not affect connections to the other.</summary>
public sealed class SeveralHosts
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task With_default_settings_a_frozen_host_fails_no_caller(bool synchronous)
    {
        await using var first = await PostgresServer.StartOwnAsync();
        await using var second = await PostgresServer.StartOwnAsync();
        await using var source = Pool(first, second);
        first.Freeze();
        try
        {
            var ports = await Patience.WithinAsync(Task.WhenAll(Enumerable.Range(0, 20).Select(_ => synchronous
                ? Task.Factory.StartNew(() => PortOf(source), Token, TaskCreationOptions.LongRunning, TaskScheduler.Default)
                : PortOfAsync(source))));

            Assert.All(ports, port => Assert.Equal(second.Port, port));
        }
        finally
        {
            first.Thaw();
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task After_the_first_error_no_caller_gets_a_stale_connection(bool severalHosts)
    {
        await using var server = await PostgresServer.StartOwnAsync();
        await using var other = await PostgresServer.StartOwnAsync();
        await using var source =
            severalHosts ? Pool(server, other) : PooledDataSource.Create(NpgsqlFactory.Instance, server.ConnectionString);
        await FillAsync(source, 20);

        await server.RestartAsync(PostgresStop.Immediate, Token);
        var errors = 0;
        for (var call = 0; call < 40; call++)
        {
            try
            {
                await PortOfAsync(source);
            }
            catch (NpgsqlException)
            {
                errors++;
            }
        }

        Assert.InRange(errors, 0, 1);
    }

    [Fact]
    public async Task A_terminated_session_affects_neither_its_host_nor_other_sessions()
    {
        await using var first = await PostgresServer.StartOwnAsync();
        await using var second = await PostgresServer.StartOwnAsync();
        await using var source = Pool(first, second, options => options.Selection = ServerSelection.RoundRobin);
        await FillAsync(source, 20);
        await UntilIdleAsync(source, 20);
        await using (var victim = await source.OpenConnectionAsync(Token))
        {
            await using var killer =
                NpgsqlDataSource.Create(PortOf(victim) == first.Port ? first.ConnectionString : second.ConnectionString);
            await using var terminate = killer.CreateCommand("SELECT pg_terminate_backend($1)");
            terminate.Parameters.Add(new NpgsqlParameter { Value = Provider.Of<NpgsqlConnection>(victim).ProcessID });
            await terminate.ExecuteNonQueryAsync(Token);
            await Assert.ThrowsAnyAsync<DbException>(() => ExecuteAsync(victim));
        }

        await UntilIdleAsync(source, 19);
        await FillAsync(source, 19);

        Assert.All(source.Servers!.GetStatistics(), host => Assert.Equal((ServerHealth.Up, 0L), (host.Health, host.Failures)));
        Assert.Equal(20, source.GetStatistics().Created);
    }

    [Fact]
    public async Task A_failure_on_every_host_is_reported_at_once_and_is_not_transient()
    {
        await using var first = await PostgresServer.StartOwnAsync();
        await using var second = await PostgresServer.StartOwnAsync();
        await using var source = PooledDataSource.Create(
            [Source(first.ConnectionString + ";Database=nowhere"), Source(second.ConnectionString + ";Database=nowhere")]);

        var failure = await Assert.ThrowsAsync<DbPoolException>(async () => await source.OpenConnectionAsync(Token));

        Assert.Equal((2, false), (failure.Failures.Count, failure.IsTransient));
        Assert.Equal(2, source.Servers!.GetStatistics().Sum(host => host.Failures));
    }

    [Fact]
    public async Task Idle_connections_to_a_frozen_host_cause_one_validation_timeout()
    {
        await using var first = await PostgresServer.StartOwnAsync();
        await using var second = await PostgresServer.StartOwnAsync();
        var options = new DbPoolOptions();
        const int Checks = 4;
        var (clock, limit) = (new ManualTimeProvider(), TimeSpan.FromSeconds(1));
        (options.Pool.ValidateAfterIdle, options.Pool.ValidateTimeout) = (TimeSpan.Zero, limit);
        options.Pool.TimeProvider = clock;
        await using var source =
            PooledDataSource.Create([Source(first.ConnectionString), Source(second.ConnectionString)], options: options);
        var connections = await FillAsync(source, 20);
        await UntilIdleAsync(source, 20);
        first.Freeze();
        try
        {
            // The caller waits, and the pool's timer is set, before time advances.
            await Task.WhenAll(AskAsync(), AdvanceAsync());

            // The first check that times out clears all that are idle. One more is due at that moment, and may have begun.
            var statistics = source.GetStatistics();
            Assert.InRange(statistics.DestroyedFor(DestroyReason.ValidationFailed) + statistics.Validating, 1, Checks + 1);
        }
        finally
        {
            first.Thaw();
        }

        async Task AskAsync() => Assert.Equal(second.Port, await Patience.WithinAsync(PortOfAsync(source)));

        // While a caller waits, another connection is checked each quarter of the limit. The limit runs from the start of a
        // check, so time does not advance before that.
        async Task AdvanceAsync()
        {
            for (var check = 1; check <= Checks; check++)
            {
                await Patience.UntilAsync(
                    () => ValueTask.FromResult(connections.Count(IsExecuting)), started => started == check,
                    "the next check has started");
                clock.Advance(limit / Checks);
            }
        }
    }

    // With default settings, which are what most applications have: this takes some seconds.
    [Fact]
    public async Task A_preferred_host_that_was_restarted_is_used_again_within_ten_seconds()
    {
        await using var first = await PostgresServer.StartOwnAsync();
        await using var second = await PostgresServer.StartOwnAsync();
        await using var source = Pool(first, second);
        await FillAsync(source, 5);
        await first.StopAsync(PostgresStop.Immediate);

        // A caller gets an error, unless the pool notices before.
        await Patience.UntilAsync(
            async () =>
            {
                try
                {
                    return await PortOfAsync(source);
                }
                catch (DbException)
                {
                    return 0;
                }
            },
            port => port == second.Port,
            "the second host is used");

        await first.StartAgainAsync(Token);

        var started = Stopwatch.GetTimestamp();
        await Patience.UntilAsync(
            () => new ValueTask<int>(PortOfAsync(source)), port => port == first.Port, "the first host is used again");
        Assert.InRange(Stopwatch.GetElapsedTime(started), TimeSpan.Zero, TimeSpan.FromSeconds(10) + Patience.Slack);
    }

    [Fact]
    public async Task A_source_with_its_own_pool_is_rejected_also_when_the_list_is_replaced()
    {
        await using var plain = Source("Host=127.0.0.1;Port=1");
        await using var pooling = NpgsqlDataSource.Create("Host=127.0.0.1;Port=2");
        await using var source = PooledDataSource.Create([plain]);

        Assert.Throws<ArgumentException>(() => source.Servers!.Replace([plain, pooling]));

        Assert.Same(plain, Assert.Single(source.Servers!.GetStatistics()).Server);
    }

    // The connection that has been idle longest serves the next call, and connections become idle when their reset has ended:
    // under load in another order than that of the calls. So each call begins when all connections are idle.
    [Fact]
    public async Task Round_robin_spreads_calls_and_not_only_connections()
    {
        await using var first = await PostgresServer.StartOwnAsync();
        await using var second = await PostgresServer.StartOwnAsync();
        await using var source = Pool(first, second, options => options.Selection = ServerSelection.RoundRobin);
        await FillAsync(source, 6);

        var calls = new List<int>();
        for (var call = 0; call < 60; call++)
        {
            await UntilIdleAsync(source, 6);
            calls.Add(await PortOfAsync(source));
        }

        Assert.Equal([30, 30], calls.CountBy(port => port).Select(group => group.Value));
    }

    private static PooledDataSource Pool(
        TemporaryPostgres first, TemporaryPostgres second, Action<ServerSetOptions>? change = null)
    {
        var options = new ServerSetOptions();
        change?.Invoke(options);
        return PooledDataSource.Create([Source(first.ConnectionString), Source(second.ConnectionString)], options);
    }

    private static NpgsqlDataSource Source(string connectionString) =>
        NpgsqlDataSource.Create(connectionString + ";Pooling=false");

    /// <summary>Opens connections at the same time and closes them.</summary>
    /// <returns>The provider's connections.</returns>
    private static async Task<IReadOnlyList<NpgsqlConnection>> FillAsync(PooledDataSource source, int count)
    {
        var open = new List<DbConnection>();
        for (var each = 0; each < count; each++)
        {
            open.Add(await source.OpenConnectionAsync(Token));
        }

        var connections = open.Select(connection => Provider.Of<NpgsqlConnection>(connection)).ToList();
        foreach (var connection in open)
        {
            await connection.DisposeAsync();
        }

        return connections;
    }

    private static Task UntilIdleAsync(PooledDataSource source, int count) => Patience.UntilAsync(
        () => ValueTask.FromResult(source.GetStatistics().Idle), idle => idle == count, "all connections are idle");

    private static bool IsExecuting(NpgsqlConnection connection) => connection.FullState.HasFlag(ConnectionState.Executing);

    private static int PortOf(PooledDataSource source)
    {
        using var connection = source.OpenConnection();
        return PortOf(connection);
    }

    private static async Task<int> PortOfAsync(PooledDataSource source)
    {
        await using var connection = await source.OpenConnectionAsync(Token);
        await ExecuteAsync(connection);
        return PortOf(connection);
    }

    private static int PortOf(DbConnection connection)
    {
        using var command = connection.CreateCommand();
        command.CommandText = "SELECT current_setting('port')::int";
        return (int)command.ExecuteScalar()!;
    }

    private static async Task ExecuteAsync(DbConnection connection)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT 1";
        await command.ExecuteScalarAsync(Token);
    }
}
