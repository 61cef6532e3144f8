using Microsoft.EntityFrameworkCore;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests.Regressions;

/// <summary>efcore.pg#3518, #3534: an enum that only UseNpgsql maps is unknown to the connections of a pool.</summary>
public sealed class MappedEnums(PostgresServer server)
{
    private enum Mood
    {
        Sad,
        Happy,
    }

    [Fact]
    public async Task Efcore_pg_3518_the_failure_names_the_pool_whose_connections_do_not_know_the_type()
    {
        var connectionString = await server.CreateDatabaseAsync();
        await using var pool = new DbConnectionPool<NpgsqlConnection>(
            NpgsqlFactory.Instance, connectionString, new DbPoolOptions { Pool = { Name = "moods" } });
        await using var context = new Moods(
            new DbContextOptionsBuilder<Moods>().UseNpgsql(connectionString, npgsql => npgsql.MapEnum<Mood>()).UsePoolhouse(pool)
                .Options);
        await context.Database.EnsureCreatedAsync(TestContext.Current.CancellationToken);
        context.Add(new Entry { Mood = Mood.Happy });

        var failure = await Assert.ThrowsAsync<DbUpdateException>(
            () => context.SaveChangesAsync(TestContext.Current.CancellationToken));

        Assert.Contains("pool 'moods'", failure.InnerException!.Message, StringComparison.Ordinal);
        Assert.IsType<InvalidCastException>(failure.InnerException.InnerException);
    }

    [Fact]
    public async Task With_one_data_source_for_both_it_is_written_and_read()
    {
        var builder = new NpgsqlDataSourceBuilder(await server.CreateDatabaseAsync() + ";Pooling=false");
        builder.MapEnum<Mood>();
        await using var source = builder.Build();
        await using var pool = new DbConnectionPool<NpgsqlConnection>(source);
        await using var context = new Moods(
            new DbContextOptionsBuilder<Moods>().UseNpgsql(source, npgsql => npgsql.MapEnum<Mood>()).UsePoolhouse(pool).Options);
        await context.Database.EnsureCreatedAsync(TestContext.Current.CancellationToken);
        context.Add(new Entry { Mood = Mood.Happy });
        await context.SaveChangesAsync(TestContext.Current.CancellationToken);

        Assert.Equal(
            Mood.Happy, await context.Entries.Select(entry => entry.Mood).SingleAsync(TestContext.Current.CancellationToken));
    }

    private sealed class Moods(DbContextOptions<Moods> options) : DbContext(options)
    {
        public DbSet<Entry> Entries => Set<Entry>();
    }

    private sealed class Entry
    {
        public int Id { get; set; }

        public Mood Mood { get; set; }
    }
}
