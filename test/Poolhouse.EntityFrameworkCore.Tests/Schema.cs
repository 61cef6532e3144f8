using System.Data;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Migrations;
using Microsoft.EntityFrameworkCore.Storage;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

public sealed class Schema(PostgresServer server)
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_database_is_created_used_and_deleted(bool isAsync)
    {
        var connectionString = await NewNameAsync();
        await using var pool = DbConnectionPool.Create<NpgsqlConnection>(() => new NpgsqlConnection(connectionString));
        await using (var shop = new Shop(Options(connectionString, pool)))
        {
            Assert.False(isAsync ? await shop.Database.CanConnectAsync() : shop.Database.CanConnect());
            Assert.True(isAsync ? await shop.Database.EnsureCreatedAsync() : shop.Database.EnsureCreated());
            Assert.False(isAsync ? await shop.Database.EnsureCreatedAsync() : shop.Database.EnsureCreated());
            Assert.True(await shop.Database.CanConnectAsync());
            Assert.Equal(0, pool.GetStatistics().Created);

            shop.Add(new Order { Customer = "Ada" });
            await shop.SaveChangesAsync();
            Assert.Equal(1, await shop.Orders.CountAsync());

            Assert.True(isAsync ? await shop.Database.EnsureDeletedAsync() : shop.Database.EnsureDeleted());
            Assert.False(isAsync ? await shop.Database.EnsureDeletedAsync() : shop.Database.EnsureDeleted());
        }

        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    [Fact]
    public async Task A_missing_database_fails_at_once_with_the_providers_exception()
    {
        var connectionString = await NewNameAsync();
        var options = new DbPoolOptions();
        options.Pool.RentTimeout = Timeout.InfiniteTimeSpan;
        await using var pool = DbConnectionPool.Create<NpgsqlConnection>(() => new NpgsqlConnection(connectionString), options);
        await using var shop = new Shop(Options(connectionString, pool));

        var failure = await Assert.ThrowsAsync<PostgresException>(() => shop.Orders.CountAsync());

        Assert.Equal(PostgresErrorCodes.InvalidCatalogName, failure.SqlState);
        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    [Fact]
    public async Task A_pool_that_fails_fast_throws_the_providers_own_exception()
    {
        var connectionString = await NewNameAsync();
        var options = new DbPoolOptions();
        options.Pool.OutageTimeout = TimeSpan.Zero;
        await using var pool = DbConnectionPool.Create<NpgsqlConnection>(() => new NpgsqlConnection(connectionString), options);
        await using var shop = new Shop(Options(connectionString, pool));

        var failure = await Assert.ThrowsAsync<PostgresException>(() => shop.Orders.CountAsync());

        Assert.Equal(PostgresErrorCodes.InvalidCatalogName, failure.SqlState);
    }

    [Fact]
    public async Task A_recreated_database_gets_new_connections()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        Assert.Equal(3, await shop.Orders.CountAsync());

        Assert.True(await shop.Database.EnsureDeletedAsync());
        Assert.True(await shop.Database.EnsureCreatedAsync());

        Assert.Equal(0, await shop.Orders.CountAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Migrations_run(bool isAsync)
    {
        var connectionString = await NewNameAsync();
        await using var pool = DbConnectionPool.Create<NpgsqlConnection>(() => new NpgsqlConnection(connectionString));
        await using var stock = OpenStock(connectionString, pool);
        Assert.Equal(["1_First"], await stock.Database.GetPendingMigrationsAsync());
        await MigrateAsync(stock, isAsync);
        await MigrateAsync(stock, isAsync);

        Assert.Equal(["1_First"], await stock.Database.GetAppliedMigrationsAsync());
        stock.Add(new StockItem { Name = "bolt" });
        await stock.SaveChangesAsync();
        Assert.Equal(0, pool.GetStatistics().Leased);
        await stock.Database.EnsureDeletedAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_database_is_created_while_the_application_has_the_contexts_own_connection_open(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        await shop.Database.GetDbConnection().OpenAsync();

        Assert.True(isAsync ? await shop.Database.CanConnectAsync() : shop.Database.CanConnect());
        Assert.False(isAsync ? await shop.Database.EnsureCreatedAsync() : shop.Database.EnsureCreated());

        Assert.Equal(ConnectionState.Open, shop.Database.GetDbConnection().State);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Migrations_run_while_the_application_has_the_contexts_own_connection_open(bool isAsync)
    {
        var connectionString = await server.CreateDatabaseAsync() + ";Pooling=false";
        await using var pool = DbConnectionPool.Create<NpgsqlConnection>(() => new NpgsqlConnection(connectionString));
        await using var stock = OpenStock(connectionString, pool);
        var backend = await BackendAsync(stock);
        var own = stock.Database.GetDbConnection();
        await own.OpenAsync();

        await MigrateAsync(stock, isAsync);

        await own.CloseAsync();
        Assert.Equal(0, await stock.Items.CountAsync());
        Assert.NotEqual(backend, await BackendAsync(stock));
    }

    // It may have been made in part.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_migration_that_fails_replaces_the_connections(bool isAsync)
    {
        var connectionString = await server.CreateDatabaseAsync() + ";Pooling=false";
        await using var pool = DbConnectionPool.Create<NpgsqlConnection>(() => new NpgsqlConnection(connectionString));
        await using var stock = OpenStock(connectionString, pool);
        await stock.Database.ExecuteSqlRawAsync("CREATE TABLE \"Items\" ()");
        var backend = await BackendAsync(stock);

        await Assert.ThrowsAsync<PostgresException>(() => MigrateAsync(stock, isAsync));

        Assert.NotEqual(backend, await BackendAsync(stock));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_creation_of_tables_that_fails_replaces_the_connections(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        var backend = await shop.BackendAsync();
        var creator = shop.GetService<IRelationalDatabaseCreator>();

        await Assert.ThrowsAsync<PostgresException>(async () =>
        {
            if (isAsync)
            {
                await creator.CreateTablesAsync();
            }
            else
            {
                creator.CreateTables();
            }
        });

        Assert.NotEqual(backend, await shop.BackendAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_password_is_available_when_it_is_needed_again(bool isFromSource)
    {
        await using var own = await PostgresServer.StartOwnAsync(new TemporaryPostgresOptions { Password = "not a secret" });
        var connectionString = own.ConnectionString + ";Database=locked;Pooling=false";
        await using var source = NpgsqlDataSource.Create(connectionString);
        await using var pool = new DbConnectionPool<NpgsqlConnection>(source);
        var builder = new DbContextOptionsBuilder<Shop>();
        builder = isFromSource ? builder.UseNpgsql(source) : builder.UseNpgsql(connectionString);
        await using var shop = new Shop(builder.UsePoolhouse(pool).Options);
        for (var i = 0; i < 2; i++)
        {
            Assert.True(await shop.Database.EnsureCreatedAsync());
            Assert.Equal(0, await shop.Orders.CountAsync());
            Assert.False(await shop.Database.EnsureCreatedAsync());
            Assert.True(await shop.Database.EnsureDeletedAsync());
        }

        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    private static Stock OpenStock(string connectionString, DbConnectionPool<NpgsqlConnection> pool) =>
        new(new DbContextOptionsBuilder<Stock>().UseNpgsql(connectionString).UsePoolhouse(pool).Options);

    private static async Task MigrateAsync(Stock stock, bool isAsync)
    {
        if (isAsync)
        {
            await stock.Database.MigrateAsync();
        }
        else
        {
            stock.Database.Migrate();
        }
    }

    private static async Task<int> BackendAsync(Stock stock) =>
        await stock.Database.SqlQueryRaw<int>("SELECT pg_backend_pid() AS \"Value\"").SingleAsync();

    private static DbContextOptions<Shop> Options(string connectionString, DbConnectionPool<NpgsqlConnection> pool) =>
        new DbContextOptionsBuilder<Shop>().UseNpgsql(connectionString).UsePoolhouse(pool).Options;

    private async Task<string> NewNameAsync()
    {
        var taken = new NpgsqlConnectionStringBuilder(await server.CreateDatabaseAsync()) { Pooling = false };
        taken.Database += "_new";
        return taken.ConnectionString;
    }
}

public sealed class Stock(DbContextOptions<Stock> options) : DbContext(options)
{
    public DbSet<StockItem> Items => Set<StockItem>();

    protected override void OnConfiguring(DbContextOptionsBuilder optionsBuilder) =>
        optionsBuilder.ConfigureWarnings(warnings =>
            warnings.Ignore(Microsoft.EntityFrameworkCore.Diagnostics.RelationalEventId.PendingModelChangesWarning));
}

public sealed class StockItem
{
    public int Id { get; set; }

    public string Name { get; set; } = "";
}

[DbContext(typeof(Stock))]
[Migration("1_First")]
public sealed class FirstMigration : Migration
{
    protected override void Up(MigrationBuilder migrationBuilder)
    {
        ArgumentNullException.ThrowIfNull(migrationBuilder);
        migrationBuilder.Sql("CREATE TABLE \"Items\" (\"Id\" serial PRIMARY KEY, \"Name\" text NOT NULL)");
    }
}
