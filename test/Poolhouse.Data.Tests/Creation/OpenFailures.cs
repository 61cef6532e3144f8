using System.Data.Common;
using System.Diagnostics;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Creation;

/// <summary>The exceptions that a caller gets when a connection cannot be opened.</summary>
public sealed class OpenFailures(PostgresServer server)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_permanent_failure_is_thrown_at_once_as_the_providers_exception(bool synchronous)
    {
        var missing = new NpgsqlConnectionStringBuilder(await server.GetConnectionStringAsync())
        {
            Database = "no_such_database",
        }.ConnectionString;
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, missing);
        var began = Stopwatch.GetTimestamp();

        var failure = await Assert.ThrowsAsync<PostgresException>(() => OpenAsync(source, synchronous));
        var again = await Assert.ThrowsAnyAsync<DbException>(() => OpenAsync(source, synchronous));

        Assert.Equal("3D000", failure.SqlState);
        Assert.Equal("3D000", again.SqlState);
        Assert.True(
            Stopwatch.GetElapsedTime(began) < new ResourcePoolOptions { MaxSize = 1 }.RentTimeout,
            "The caller waited although the failure is permanent.");
    }

    [Theory]
    [InlineData("Host=127.0.0.1;Port=1;Username=u", false)]
    [InlineData("Host=127.0.0.1;Port=1;Username=u", true)]
    [InlineData("Host=no-such-host.invalid;Username=u", false)]
    [InlineData("Host=/no/such/folder;Username=u", true)]
    public async Task A_server_that_was_never_reached_fails_at_once_with_the_providers_exception(
        string connectionString, bool synchronous)
    {
        var options =
            new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 2, RentTimeout = Timeout.InfiniteTimeSpan } };
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, connectionString, options);
        await using var own = NpgsqlDataSource.Create(connectionString);
        var expected = await Assert.ThrowsAnyAsync<Exception>(async () => await own.OpenConnectionAsync());

        for (var i = 0; i < 3; i++)
        {
            var failure = await Assert.ThrowsAnyAsync<Exception>(() => OpenAsync(source, synchronous));

            Assert.Equal(expected.GetType(), failure.GetType());
        }
    }

    [Fact]
    public async Task Callers_wait_for_a_server_that_was_reached_before()
    {
        await using var own = await PostgresServer.StartOwnAsync();
        var options =
            new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1, RentTimeout = TimeSpan.FromMilliseconds(300) } };
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, own.ConnectionString, options);
        await source.WarmUpAsync(1);
        await own.StopAsync();
        source.Clear();

        // How soon a connect is refused depends on the machine; from the first refusal on, callers get it.
        await Patience.UntilAsync(
            async () =>
            {
                await Assert.ThrowsAsync<DbPoolException>(() => OpenAsync(source, synchronous: false));
                return source.GetStatistics().CreateFailures;
            },
            failures => failures > 0,
            "a refused connect");
        var failure = await Assert.ThrowsAsync<DbPoolException>(() => OpenAsync(source, synchronous: false));

        Assert.True(failure.IsTransient);
        Assert.IsType<NpgsqlException>(failure.InnerException);
        Assert.Equal(source.Name, failure.PoolName);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_failure_on_every_host_is_transient_unless_all_of_them_are_permanent(bool isTransient)
    {
        var (first, second) = (new FakeDb(), new FakeDb());
        first.Failures["connection.Open"] = new ArgumentException("The keyword is unknown.");
        second.Failures["connection.Open"] = isTransient ? new IOException("down") : new InvalidOperationException("No host.");
        await using var source = PooledDataSource.Create([first, second]);

        var failure = await Assert.ThrowsAsync<DbPoolException>(() => OpenAsync(source, synchronous: false));

        // While an attempt may succeed, callers get the outage with that failure inside.
        var ofHosts = isTransient ? Assert.IsType<DbPoolException>(failure.InnerException) : failure;
        Assert.Equal((2, isTransient), (ofHosts.Failures.Count, ofHosts.IsTransient));
    }

    [Fact]
    public async Task An_exception_of_the_pool_does_not_repeat_its_inner_exception()
    {
        await using var source = PooledDataSource.Create(
            SqliteFactory.Instance,
            "Data Source=:memory:",
            new DbPoolOptions
            {
                // A caller that does not wait gets no connection that has to be validated first.
                Pool = new ResourcePoolOptions
                {
                    MaxSize = 1,
                    RentTimeout = TimeSpan.Zero,
                    ValidateAfterIdle = Timeout.InfiniteTimeSpan,
                },
            });
        await source.WarmUpAsync(1);
        await using var only = await source.OpenConnectionAsync();

        var failure = await Assert.ThrowsAsync<DbPoolException>(() => OpenAsync(source, synchronous: false));

        Assert.Single(
            failure.ToString().Split('\n'),
            line => line.Contains(failure.Message.Split('\n')[0].TrimEnd(), StringComparison.Ordinal));
    }

    private static Task OpenAsync(PooledDataSource source, bool synchronous) =>
        synchronous
            ? Task.Run(() => source.OpenConnection().Dispose())
            : Task.Run(async () => await (await source.OpenConnectionAsync()).DisposeAsync());
}
