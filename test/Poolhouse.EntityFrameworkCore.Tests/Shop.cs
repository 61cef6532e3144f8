using Microsoft.EntityFrameworkCore;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>The contexts of these tests.</summary>
public sealed class Shop(DbContextOptions<Shop> options) : DbContext(options)
{
    public DbSet<Order> Orders => Set<Order>();

    public DbSet<Line> Lines => Set<Line>();

    /// <summary>The server's process behind the connection.</summary>
    public async Task<int> BackendAsync() => await Database.SqlQueryRaw<int>("SELECT pg_backend_pid() AS \"Value\"").SingleAsync();
}
