using System.Data.Common;
using Dapper;
using Microsoft.Data.SqlClient;
using Poolhouse.Testing;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.Data.Tests.SqlServer;

/// <summary>With SqlClient, a use costs one request, which carries the reset, as with its own pool.</summary>
public sealed class Requests : ModelServerTests
{
    private const int Uses = 20;

    [Theory]
    [InlineData(true, null)]
    [InlineData(false, null)]
    [InlineData(true, "a credential")]
    public async Task A_use_of_a_data_source_is_one_request_with_the_reset(bool async, string? credential)
    {
        var options = CreateOptions();
        if (credential is not null)
        {
            options.Credentials = _ => new(new DbCredential(TdsServer.User, TdsServer.Password));
        }

        await using var source = CreateSource(options);
        for (var i = 0; i <= Uses; i++)
        {
            if (async)
            {
                await using var connection = await source.OpenConnectionAsync(Token);
                Assert.Equal(1, await connection.ExecuteScalarAsync<int>("SELECT 1"));
            }
            else
            {
                using var connection = source.OpenConnection();
                Assert.Equal(1, connection.ExecuteScalar<int>("SELECT 1"));
            }
        }

        Assert.Equal((Uses + 1, Uses, 1), (Server.Requests, Server.Resets, Server.Logins));
    }

    [Fact]
    public async Task Changes_of_rows_and_several_statements_cost_nothing_more()
    {
        await using var source = CreateSource();
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            await connection.ExecuteAsync("CREATE TABLE cups (id INT IDENTITY PRIMARY KEY, name NVARCHAR(20))");
        }

        await SettleAsync(source.GetStatistics);
        var before = Server.Requests;
        for (var i = 0; i < Uses; i++)
        {
            await using var connection = await source.OpenConnectionAsync(Token);
            await connection.ExecuteAsync("INSERT INTO cups (name) VALUES (@name); SELECT SCOPE_IDENTITY()", new { name = "mocha" });
            await connection.ExecuteAsync("UPDATE cups SET name = 'latte' WHERE id = 1");
        }

        await SettleAsync(source.GetStatistics);
        Assert.Equal((2 * Uses, 1), (Server.Requests - before, Server.Logins));
    }

    [Fact]
    public async Task A_completed_transaction_costs_only_its_own_requests()
    {
        await using var source = CreateSource();
        for (var i = 0; i < Uses; i++)
        {
            await using var connection = await source.OpenConnectionAsync(Token);
            await using var transaction = await connection.BeginTransactionAsync(Token);
            await connection.ExecuteAsync("SELECT 1", transaction: transaction);
            await transaction.CommitAsync(Token);
        }

        await SettleAsync(source.GetStatistics);
        Assert.Equal((3 * Uses, 1), (Server.Requests, Server.Logins));
    }

    [Fact]
    public async Task A_lease_of_the_providers_connection_is_one_request_and_one_in_the_background()
    {
        await using var pool = CreatePool();
        await UseAsync(pool);
        Assert.Equal((2 * Uses, Uses, 1), (Server.Requests, Server.Resets, Server.Logins));
    }

    [Fact]
    public async Task A_lease_whose_statements_are_reported_is_one_request()
    {
        await using var pool = CreatePool();
        for (var i = 0; i < Uses; i++)
        {
            await using var lease = await pool.RentAsync(Token);
            pool.ObserveStatement(lease, "SELECT 1");
            Assert.Equal(1, await lease.Value.ExecuteScalarAsync<int>("SELECT 1"));
        }

        await SettleAsync(pool.GetStatistics);
        Assert.Equal((Uses, Uses - 1, 1), (Server.Requests, Server.Resets, Server.Logins));
    }

    [Fact]
    public async Task With_the_providers_reset_a_lease_is_one_request()
    {
        var options = CreateOptions();
        options.Reset = SessionReset.Provider;
        await using var pool = CreatePool(options);
        await UseAsync(pool);
        Assert.Equal((Uses, Uses - 1, 1), (Server.Requests, Server.Resets, Server.Logins));
    }

    [Fact]
    public async Task A_source_that_the_application_built_is_reset_by_calls_of_procedures()
    {
        await using var built = SqlClientFactory.Instance.CreateDataSource(Server.ConnectionString + ";Pooling=false");
        await using var source = PooledDataSource.Create(built, CreateOptions());
        for (var i = 0; i < Uses; i++)
        {
            await using var connection = await source.OpenConnectionAsync(Token);
            await connection.ExecuteAsync("SET XACT_ABORT ON; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN TRAN");
        }

        await SettleAsync(source.GetStatistics);
        Assert.Equal((3 * Uses, 0, 1), (Server.Requests, Server.Resets, Server.Logins));
        Assert.Empty(Assert.Single(Server.Sessions).Leftovers);
    }

    [Theory]
    [InlineData("SET NOEXEC ON")]
    [InlineData("SET PARSEONLY ON")]
    [InlineData("SET FMTONLY ON")]
    public async Task A_source_that_the_application_built_closes_a_session_that_only_compiles(string statement)
    {
        await using var built = SqlClientFactory.Instance.CreateDataSource(Server.ConnectionString + ";Pooling=false");
        await using var source = PooledDataSource.Create(built, CreateOptions());
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            await connection.ExecuteAsync(statement);
        }

        await using var next = await source.OpenConnectionAsync(Token);
        Assert.Equal(1, await next.ExecuteScalarAsync<int>("SELECT 1"));
    }

    [Fact]
    public async Task An_idle_connection_is_checked_without_a_request_for_one_second()
    {
        var time = new ManualTimeProvider();
        await using var source = CreateSource(new DbPoolOptions { Pool = { MaxSize = 1, TimeProvider = time } });
        await UseAsync(source);
        time.Advance(TimeSpan.FromMilliseconds(900));
        await UseAsync(source);
        Assert.Equal(2, Server.Requests);
        time.Advance(TimeSpan.FromMilliseconds(1100));
        await UseAsync(source);
        Assert.Equal((4, 1), (Server.Requests, Server.Logins));
    }

    [Fact]
    public async Task An_initialization_is_repeated_in_the_background()
    {
        await using var source = CreateSource(new DbPoolOptions
        {
            Pool = { MaxSize = 1 },
            Initialize = async (connection, _) => await connection.ExecuteAsync("SET CONTEXT_INFO 0x02"),
        });
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await source.OpenConnectionAsync(Token);
            Assert.Equal(2, (await connection.ExecuteScalarAsync<byte[]>("SELECT CONTEXT_INFO()"))![0]);
        }

        Assert.Equal(1, Server.Logins);
    }

    [Fact]
    public async Task Disposal_closes_every_session()
    {
        await using (var source = CreateSource(new DbPoolOptions { Pool = { MaxSize = 8 } }))
        {
            await source.WarmUpAsync(8, Token);
            Assert.Equal((8, 8), (Server.Sessions.Count, Server.Logins));
            await UseAsync(source);
        }

        await UntilEndedAsync();
    }

    [Fact]
    public async Task Two_pools_with_the_same_string_share_no_session()
    {
        await using var one = CreateSource();
        await using var other = CreateSource();
        await using (var first = await one.OpenConnectionAsync(Token))
        await using (var second = await other.OpenConnectionAsync(Token))
        {
            Assert.NotEqual(await first.ExecuteScalarAsync<int>("SELECT @@SPID"), await second.ExecuteScalarAsync<int>("SELECT @@SPID"));
        }

        await UseAsync(one);
        await UseAsync(other);
        Assert.Equal(2, Server.Logins);
    }

    private static async Task UseAsync(DbDataSource source)
    {
        await using var connection = await source.OpenConnectionAsync(Token);
        Assert.Equal(1, await connection.ExecuteScalarAsync<int>("SELECT 1"));
    }

    private static async Task UseAsync(DbConnectionPool<SqlConnection> pool)
    {
        for (var i = 0; i < Uses; i++)
        {
            await using var lease = await pool.RentAsync(Token);
            Assert.Equal(1, await lease.Value.ExecuteScalarAsync<int>("SELECT 1"));
        }

        await SettleAsync(pool.GetStatistics);
    }
}
