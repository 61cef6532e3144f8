using System.Data.Common;
using System.Diagnostics;
using Npgsql;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Resources;

namespace Poolhouse.Data.Tests.Creation;

/// <summary>What a caller hears when a connection cannot be opened.</summary>
public sealed class OpenFailures(PostgresServer server)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_no_retry_will_change_is_told_at_once_with_the_providers_own_exception(bool synchronous)
    {
        var missing = new NpgsqlConnectionStringBuilder(await server.GetConnectionStringAsync()) { Database = "no_such_database" }.ConnectionString;
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, missing);
        var began = Stopwatch.GetTimestamp();

        var failure = await Assert.ThrowsAsync<PostgresException>(() => OpenAsync(source, synchronous));
        var again = await Assert.ThrowsAnyAsync<DbException>(() => OpenAsync(source, synchronous));

        Assert.Equal("3D000", failure.SqlState);
        Assert.Equal("3D000", again.SqlState);
        Assert.True(Stopwatch.GetElapsedTime(began) < new ResourcePoolOptions { MaxSize = 1 }.RentTimeout, "The caller waited in vain.");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task While_the_server_is_away_callers_wait_and_then_get_a_transient_exception_with_the_providers_inside(bool synchronous)
    {
        await using var source = PooledDataSource.Create(
            NpgsqlFactory.Instance,
            "Host=127.0.0.1;Port=1;Username=u",
            new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1, RentTimeout = TimeSpan.FromMilliseconds(300) } });

        var failure = await Assert.ThrowsAsync<DbPoolException>(() => OpenAsync(source, synchronous));

        Assert.True(failure.IsTransient);
        Assert.IsType<NpgsqlException>(failure.InnerException);
        Assert.Equal(source.Name, failure.PoolName);
    }

    private static Task OpenAsync(PooledDataSource source, bool synchronous) =>
        synchronous
            ? Task.Run(() => source.OpenConnection().Dispose())
            : Task.Run(async () => await (await source.OpenConnectionAsync()).DisposeAsync());
}
