using System.Runtime.CompilerServices;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Npgsql;
using Npgsql.EntityFrameworkCore.PostgreSQL.Infrastructure;
using Poolhouse.Data;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>
/// A database of the test's own with three orders, and a pool for it. At its end nothing may be leased (no test leaks).
/// </summary>
internal sealed class ShopDatabase : IAsyncDisposable
{
    // Copying a database takes a fraction of the time of creating and filling its tables, each time on a new connection.
    private static readonly ConditionalWeakTable<PostgresServer, Task<string>> _templates = [];

    private readonly NpgsqlDataSource? _source;

    private ShopDatabase(string connectionString, DbPoolOptions options, PoolSource source)
    {
        // The provider reports a cancellation in another way if the server takes longer to confirm it.
        ConnectionString = connectionString + ";Cancellation Timeout=60000";
        if (source is PoolSource.DataSource)
        {
            _source = NpgsqlDataSource.Create(Unpooled);
        }

        if (source is PoolSource.Credentials)
        {
            var user = new NpgsqlConnectionStringBuilder(ConnectionString);
            options.Credentials = _ => ValueTask.FromResult(new DbCredential(user.Username, user.Password));
        }

        Pool = source switch
        {
            PoolSource.Delegate => DbConnectionPool.Create<NpgsqlConnection>(() => new NpgsqlConnection(Unpooled), options),
            PoolSource.DataSource => new DbConnectionPool<NpgsqlConnection>(_source!, options),
            _ => new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, ConnectionString, options),
        };
    }

    public string ConnectionString { get; }

    public string Unpooled => ConnectionString + ";Pooling=false";

    public DbConnectionPool<NpgsqlConnection> Pool { get; }

    public long Leased => Pool.GetStatistics().Leased;

    public static async Task<ShopDatabase> CreateAsync(
        PostgresServer server, int maxSize = 4, Action<DbPoolOptions>? change = null, PoolSource source = PoolSource.Delegate)
    {
        var options = new DbPoolOptions();
        options.Pool.MaxSize = maxSize;
        change?.Invoke(options);
        var template = await _templates.GetValue(server, CreateTemplateAsync);
        return new ShopDatabase(await server.CreateDatabaseAsync(template), options, source);
    }

    /// <summary>A context over the pool.</summary>
    public Shop Open(Action<NpgsqlDbContextOptionsBuilder>? provider = null, params IInterceptor[] interceptors) =>
        new(Options(provider, interceptors));

    public DbContextOptions<Shop> Options(
        Action<NpgsqlDbContextOptionsBuilder>? provider = null, params IInterceptor[] interceptors) =>
        new DbContextOptionsBuilder<Shop>().UseNpgsql(Unpooled, provider).UsePoolhouse(Pool)
            .AddInterceptors(interceptors).Options;

    /// <summary>The same without our pool, and without the provider's own, so that no connection outlives its test.</summary>
    public DbContextOptions<Shop> ProviderOptions(string? suffix = ";Pooling=false") =>
        new DbContextOptionsBuilder<Shop>().UseNpgsql(ConnectionString + suffix).Options;

    /// <summary>Ends a server's process, and returns when it is gone.</summary>
    public async Task TerminateAsync(int backend)
    {
        await using var source = NpgsqlDataSource.Create(Unpooled);
        await using var command = source.CreateCommand("SELECT pg_terminate_backend($1, 10000)");
        command.Parameters.AddWithValue(backend);
        Assert.Equal(true, await command.ExecuteScalarAsync());
    }

    public async ValueTask DisposeAsync()
    {
        var leased = Leased;
        await Pool.DisposeAsync();
        if (_source is not null)
        {
            await _source.DisposeAsync();
        }

        Assert.Equal(0, leased);
    }

    private static async Task<string> CreateTemplateAsync(PostgresServer server)
    {
        var template = await server.CreateDatabaseAsync();
        await using var shop = new Shop(new DbContextOptionsBuilder<Shop>().UseNpgsql(template + ";Pooling=false").Options);
        await shop.Database.EnsureCreatedAsync();
        shop.Orders.AddRange(
            new Order { Customer = "Ada", Lines = { new Line { Amount = 1 }, new Line { Amount = 2 } } },
            new Order { Customer = "Bob", Lines = { new Line { Amount = 3 } } },
            new Order { Customer = "Cy" });
        await shop.SaveChangesAsync();
        return template;
    }
}
