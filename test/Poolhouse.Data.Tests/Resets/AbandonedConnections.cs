using System.Data;
using Dapper;
using Microsoft.Data.Sqlite;

namespace Poolhouse.Data.Tests.Resets;

/// <summary>A closed connection that was left to the application belongs to it.</summary>
public sealed class AbandonedConnections
{
    [Fact]
    public async Task A_closed_connection_stays_usable_and_its_capacity_is_released()
    {
        using var file = new Servers.SqliteFile();
        await using var pool = Create(file);
        var lease = await pool.RentAsync();
        var kept = lease.Value;
        await kept.CloseAsync();

        pool.Abandon(lease);

        await using (var next = await pool.RentAsync())
        {
            Assert.NotSame(kept, next.Value);
        }

        await kept.OpenAsync();
        Assert.Equal(1, await kept.ExecuteScalarAsync<int>("SELECT 1"));
        await kept.DisposeAsync();
        Assert.Equal(1, pool.GetStatistics().DestroyedFor(DestroyReason.Discarded));
    }

    [Fact]
    public async Task An_open_connection_is_closed_by_the_pool()
    {
        using var file = new Servers.SqliteFile();
        await using var pool = Create(file);
        var lease = await pool.RentAsync();
        var connection = lease.Value;

        pool.Abandon(lease);
        await pool.DrainAsync();

        Assert.Equal(ConnectionState.Closed, connection.State);
        Assert.Throws<ObjectDisposedException>(() => pool.Abandon(lease));
    }

    private static DbConnectionPool<SqliteConnection> Create(Servers.SqliteFile file) => DbConnectionPool.Create(
        () => new SqliteConnection(file.ConnectionString), new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 } });
}
