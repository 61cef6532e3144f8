using System.Data.Common;
using Dapper;
using Npgsql;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>With Npgsql, a use costs one request, however the pool is configured (ADR 0014).</summary>
public sealed class RoundTrips(PostgresServer server)
{
    private const int Uses = 20;

    // One connection, which is not queried between two uses, however slow the machine is.
    private static DbPoolOptions Options =>
        new() { Pool = { MaxSize = 1, ValidateAfterIdle = Timeout.InfiniteTimeSpan } };

    public enum Setup
    {
        ConnectionString,
        Built,
        Credentials,
        Hosts,
        HostsInTheString,
        StandbysInTheString,
        CredentialsAndHosts,
    }

    [Theory]
    [InlineData(Setup.ConnectionString)]
    [InlineData(Setup.Built)]
    [InlineData(Setup.Credentials)]
    [InlineData(Setup.Hosts)]
    [InlineData(Setup.HostsInTheString)]
    [InlineData(Setup.StandbysInTheString)]
    [InlineData(Setup.CredentialsAndHosts)]
    public async Task A_use_of_a_data_source_is_one_request(Setup setup)
    {
        await using var counter = new RoundTripCounter(await PortAsync());
        await using var source = await CreateAsync(setup, counter);
        await UseAsync(source);
        await SettleAsync(source);
        var before = counter.Requests;
        for (var i = 0; i < Uses; i++)
        {
            await UseAsync(source);
        }

        await SettleAsync(source);
        Assert.Equal((Uses, 1), (counter.Requests - before, counter.Connections));
    }

    // Leases are always reset.
    [Fact]
    public async Task A_lease_of_the_providers_connection_is_one_request()
    {
        await using var counter = new RoundTripCounter(await PortAsync());
        var text = await TextAsync(counter);
        await using var pool = new DbConnectionPool<NpgsqlConnection>(
            new PerConnectionDataSource(() => new NpgsqlDataSourceBuilder(text).Build()), Options);
        long before = 0;
        for (var i = 0; i <= Uses; i++)
        {
            await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
            {
                await lease.Value.ExecuteAsync("SET work_mem = 1024");
            }

            before = i == 0 ? counter.Requests : before;
        }

        Assert.Equal((Uses, 1), (counter.Requests - before, counter.Connections));
    }

    [Fact]
    public async Task State_of_a_built_source_does_not_reach_the_next_user()
    {
        await using var counter = new RoundTripCounter(await PortAsync());
        await using var source = await CreateAsync(Setup.Built, counter);
        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            await connection.ExecuteAsync("SET work_mem = 1024; BEGIN; CREATE TABLE abandoned (x INT)");
        }

        await using var next = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        Assert.NotEqual("1MB", await next.ExecuteScalarAsync<string>("SHOW work_mem"));
        Assert.Equal(0, await next.ExecuteScalarAsync<int>("SELECT COUNT(*) FROM pg_class WHERE relname = 'abandoned'"));
        Assert.Equal(1, counter.Connections);
    }

    [Fact]
    public void Sources_that_do_not_pool_or_list_hosts_are_rejected()
    {
        foreach (var text in new[] { "Host=h;Pooling=false", "Host=a,b" })
        {
            var failure = Assert.Throws<ArgumentException>(() => PooledDataSource.Create(() => NpgsqlDataSource.Create(text)));
            Assert.StartsWith("The data sources of a PerConnectionDataSource", failure.Message, StringComparison.Ordinal);
        }
    }

    private static async Task UseAsync(PooledDataSource source)
    {
        await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        Assert.Equal(1, await connection.ExecuteScalarAsync<int>("SELECT 1"));
    }

    private static Task SettleAsync(PooledDataSource source) => Patience.UntilAsync(
        () => ValueTask.FromResult(source.GetStatistics()), now => now is { Leased: 0, Idle: 1 }, "the connection is idle");

    private async Task<int> PortAsync() => new NpgsqlConnectionStringBuilder(await server.GetConnectionStringAsync()).Port;

    private async Task<string> TextAsync(RoundTripCounter counter) => new NpgsqlConnectionStringBuilder(
        await server.CreateDatabaseAsync())
    {
        Port = counter.Port,
        Enlist = false,
    }.ConnectionString;

    private async Task<PooledDataSource> CreateAsync(Setup setup, RoundTripCounter counter)
    {
        var text = await TextAsync(counter);
        var options = Options;
        DbDataSource Build() => new NpgsqlDataSourceBuilder(text).EnableDynamicJson().Build();
        switch (setup)
        {
            case Setup.ConnectionString:
                return PooledDataSource.Create(NpgsqlFactory.Instance, text, options);
            case Setup.Built:
                return PooledDataSource.Create(Build, options);
            case Setup.Hosts:
                return PooledDataSource.Create(
                    [new PerConnectionDataSource(Build), new PerConnectionDataSource(Build)], options: options);
        }

        var builder = new NpgsqlConnectionStringBuilder(text);
        if (setup is not Setup.Credentials)
        {
            (builder.Host, builder.TargetSessionAttributes) = ("127.0.0.1,localhost", "primary");
        }

        if (setup is Setup.StandbysInTheString)
        {
            // A server whose sessions are read-only by default counts as a standby here.
            (builder.Options, builder.TargetSessionAttributes) = ("-c default_transaction_read_only=on", "read-only");
        }
        else if (setup is not Setup.HostsInTheString)
        {
            options.Credentials = _ => new(new DbCredential(builder.Username, builder.Password));
        }

        return PooledDataSource.Create(NpgsqlFactory.Instance, builder.ConnectionString, options);
    }
}
