using Microsoft.EntityFrameworkCore;
using Npgsql;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>The contexts of these tests.</summary>
public sealed class Shop(DbContextOptions<Shop> options) : DbContext(options)
{
    public DbSet<Order> Orders => Set<Order>();

    public DbSet<Line> Lines => Set<Line>();

    /// <summary>The server's process behind the connection.</summary>
    public async Task<int> BackendAsync() =>
        await Database.SqlQueryRaw<int>("SELECT pg_backend_pid() AS \"Value\"").SingleAsync();

    /// <summary>A command that is cancelled after the server has started it.</summary>
    public async Task SleepUntilCancelledAsync()
    {
        using var cancel = new CancellationTokenSource();
        await Database.OpenConnectionAsync(CancellationToken.None);
        var connection = (NpgsqlConnection)Database.GetDbConnection();
        connection.Notice += OnNotice;
        try
        {
            await Database.ExecuteSqlRawAsync("DO $$ BEGIN RAISE NOTICE 'here'; PERFORM pg_sleep(600); END $$", cancel.Token);
        }
        finally
        {
            connection.Notice -= OnNotice;
            await Database.CloseConnectionAsync();
        }

        void OnNotice(object? sender, NpgsqlNoticeEventArgs notice) => _ = cancel.CancelAsync();
    }
}
