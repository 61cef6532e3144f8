using System.Data;
using System.Data.Common;
using Microsoft.Data.SqlClient;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Poolhouse.Data;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>Contexts over a pool of SqlClient's connections, on the model of SQL Server.</summary>
public sealed class SqlServerSessions : IAsyncDisposable
{
    private const int Uses = 10;

    private readonly TdsServer _server = TdsServer.Start();
    private readonly DbConnectionPool<SqlConnection> _pool;

    public SqlServerSessions() => _pool = new DbConnectionPool<SqlConnection>(
        SqlClientFactory.Instance, _server.ConnectionString,
        new DbPoolOptions { Pool = { MaxSize = 1, ValidateAfterIdle = TimeSpan.FromHours(1) } });

    public async ValueTask DisposeAsync()
    {
        await _pool.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task A_query_and_a_change_of_rows_are_one_request_each_with_the_reset()
    {
        await CreateTableAsync();

        // The table was followed by a request with the reset, so the next one need not carry it.
        await using (var context = Create())
        {
            Assert.Equal(0, await context.Cups.CountAsync(Token));
        }

        await SettleAsync();
        var (requests, resets) = (_server.Requests, _server.Resets);
        for (var i = 0; i < Uses; i++)
        {
            await using (var context = Create())
            {
                context.Add(new Cup { Name = "mocha" });
                Assert.Equal(1, await context.SaveChangesAsync(Token));
            }

            await using (var context = Create())
            {
                Assert.Equal(i + 1, await context.Cups.CountAsync(Token));
            }
        }

        await SettleAsync();
        Assert.Equal((2 * Uses, 2 * Uses, 1), (_server.Requests - requests, _server.Resets - resets, _server.Logins));
    }

    [Theory]
    [InlineData(IsolationLevel.Unspecified)]
    [InlineData(IsolationLevel.Serializable)]
    public async Task A_transaction_leaves_nothing(IsolationLevel level)
    {
        await CreateTableAsync();
        await using (var context = Create())
        {
            await using var transaction = level == IsolationLevel.Unspecified
                ? await context.Database.BeginTransactionAsync(Token)
                : await context.Database.BeginTransactionAsync(level, Token);
            context.Add(new Cup { Name = "mocha" });
            await context.SaveChangesAsync(Token);
            context.Add(new Cup { Name = "latte" });
            await context.SaveChangesAsync(Token);
            await transaction.CommitAsync(Token);
        }

        await AssertCleanAsync(cups: 2);
    }

    [Theory]
    [InlineData("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")]
    [InlineData("BEGIN TRAN; INSERT INTO Cups (Name) VALUES ('lost')")]
    [InlineData("SET NOEXEC ON")]
    [InlineData("USE warehouse")]
    [InlineData("SET CONTEXT_INFO 0x01")]
    public async Task A_statement_of_the_application_leaves_nothing(string statement)
    {
        await CreateTableAsync();
        await using (var context = Create())
        {
            await context.Database.ExecuteSqlRawAsync(statement, Token);
        }

        await AssertCleanAsync(cups: 0);
    }

    // It may execute anything on the connection: there is no record of it.
    [Fact]
    public async Task What_an_interceptor_executes_leaves_nothing()
    {
        await CreateTableAsync();
        await using (var context = Create(new Serializer()))
        {
            Assert.Equal(0, await context.Cups.CountAsync(Token));
        }

        await AssertCleanAsync(cups: 0);
    }

    [Fact]
    public async Task A_cancelled_query_costs_no_login()
    {
        await CreateTableAsync();
        await using (var context = Create())
        {
            using var cancel = CancellationTokenSource.CreateLinkedTokenSource(Token);
            var running = context.Database.ExecuteSqlRawAsync("WAITFOR DELAY '00:00:30'", cancel.Token);
            await Patience.UntilAsync<bool>(
                () => ValueTask.FromResult(_server.Sessions.Any(session => session.IsBusy)), busy => busy, "it is running");
            await cancel.CancelAsync();
            Assert.NotNull(await Record.ExceptionAsync(() => Patience.WithinAsync(running)));
        }

        await AssertCleanAsync(cups: 0);
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private Bar Create(params IInterceptor[] interceptors) => new(
        new DbContextOptionsBuilder<Bar>().UseSqlServer(_server.ConnectionString).UsePoolhouse(_pool)
            .AddInterceptors(interceptors).Options);

    private async Task CreateTableAsync()
    {
        await using (var context = Create())
        {
            await context.Database.ExecuteSqlRawAsync(
                "CREATE TABLE Cups (Id INT IDENTITY PRIMARY KEY, Name NVARCHAR(20) NOT NULL)", Token);
        }

        await SettleAsync();
    }

    private async Task AssertCleanAsync(int cups)
    {
        await using (var next = Create())
        {
            Assert.Equal(cups, await next.Cups.CountAsync(Token));
        }

        await SettleAsync();
        Assert.Equal([], Assert.Single(_server.Sessions).Leftovers);
        Assert.Equal(1, _server.Logins);
    }

    private Task SettleAsync() => Patience.UntilAsync(
        () => ValueTask.FromResult(_pool.GetStatistics()), now => now is { Leased: 0, Idle: 1 }, "the connection is idle");

    private sealed class Bar(DbContextOptions<Bar> options) : DbContext(options)
    {
        public DbSet<Cup> Cups => Set<Cup>();
    }

    private sealed class Cup
    {
        public int Id { get; set; }

        public required string Name { get; set; }
    }

    private sealed class Serializer : DbConnectionInterceptor
    {
        public override async Task ConnectionOpenedAsync(
            DbConnection connection, ConnectionEndEventData eventData, CancellationToken cancellationToken = default)
        {
            await using var command = connection.CreateCommand();
            command.CommandText = "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE";
            await command.ExecuteNonQueryAsync(cancellationToken);
        }
    }
}
