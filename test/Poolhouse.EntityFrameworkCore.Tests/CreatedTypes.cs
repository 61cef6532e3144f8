using Microsoft.EntityFrameworkCore;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>Contexts see the types of the database that <c>EnsureCreated</c> and <c>Migrate</c> create.</summary>
public sealed class CreatedTypes(PostgresServer server)
{
    public static TheoryData<string> Sources =>
        ["one data source", "two data sources", "delegate", "connection string", "pool of one"];

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task Created_types_are_available_to_the_connections_of_the_pool(string kind)
    {
        var connectionString = await server.CreateDatabaseAsync() + ";Pooling=false";
        await using var source = NpgsqlDataSource.Create(connectionString);
        await using var other = NpgsqlDataSource.Create(connectionString + ";Application Name=pool");
        await using var pool = CreatePool(kind, source, other, connectionString);
        await using (var lease = await pool.RentAsync())
        {
            // The types as they are now: without those that the context creates.
            await using var command = new NpgsqlCommand("SELECT 1", lease.Value);
            await command.ExecuteScalarAsync();
        }

        // Created, deleted and created again: types get new numbers in the database each time.
        var options = new DbContextOptionsBuilder<Labels>();
        options = string.Equals(kind, "one data source", StringComparison.Ordinal)
            ? options.UseNpgsql(source)
            : options.UseNpgsql(connectionString);
        options.UsePoolhouse(pool);
        for (var i = 0; i < 3; i++)
        {
            await using var labels = new Labels(options.Options);
            await labels.Database.EnsureDeletedAsync();
            await labels.Database.EnsureCreatedAsync();
            labels.Add(new Label { Text = "Fragile", Tags = new() { ["side"] = "up" } });
            await labels.SaveChangesAsync();
            labels.ChangeTracker.Clear();

            var found = await labels.All.SingleAsync(label => label.Text == "FRAGILE");

            Assert.Equal("up", found.Tags["side"]);
        }

        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    private static DbConnectionPool<NpgsqlConnection> CreatePool(
        string kind, NpgsqlDataSource source, NpgsqlDataSource other, string connectionString) => kind switch
        {
            "one data source" => new DbConnectionPool<NpgsqlConnection>(source),
            "two data sources" => new DbConnectionPool<NpgsqlConnection>(other),
            "delegate" => DbConnectionPool.Create<NpgsqlConnection>(
                () => new NpgsqlConnection(connectionString + ";Application Name=delegate")),
            "connection string" => new DbConnectionPool<NpgsqlConnection>(
                NpgsqlFactory.Instance, connectionString.Replace("Pooling=false", "", StringComparison.Ordinal),
                new DbPoolOptions { Reset = SessionReset.PostgreSql }),
            _ => new DbConnectionPool<NpgsqlConnection>(
                NpgsqlFactory.Instance, connectionString.Replace("Pooling=false", "", StringComparison.Ordinal)),
        };
}

public sealed class Labels(DbContextOptions<Labels> options) : DbContext(options)
{
    public DbSet<Label> All => Set<Label>();

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        ArgumentNullException.ThrowIfNull(modelBuilder);
        modelBuilder.HasPostgresExtension("citext").HasPostgresExtension("hstore");
        modelBuilder.Entity<Label>().Property(label => label.Text).HasColumnType("citext");
    }
}

public sealed class Label
{
    public int Id { get; set; }

    public string Text { get; set; } = "";

#pragma warning disable CA2227, MA0016 // The type that is mapped to hstore; Entity Framework sets it.
    public Dictionary<string, string> Tags { get; set; } = [];
#pragma warning restore CA2227, MA0016
}
