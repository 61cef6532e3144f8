using System.Data;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

public sealed class PooledContexts(PostgresServer server)
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_context_returned_to_its_pool_returns_its_open_connection(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        var contexts = new PooledDbContextFactory<Shop>(database.Options(), poolSize: 1);
        var backends = new HashSet<int>();
        for (var i = 0; i < 4; i++)
        {
            var shop = await contexts.CreateDbContextAsync();
            await shop.Database.OpenConnectionAsync();
            backends.Add(await shop.BackendAsync());
            if (isAsync)
            {
                await shop.DisposeAsync();
            }
            else
            {
                shop.Dispose();
            }

            Assert.Equal(0, database.Leased);
        }

        Assert.Single(backends);
    }

    [Fact]
    public async Task A_transaction_left_open_is_rolled_back()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        var contexts = new PooledDbContextFactory<Shop>(database.Options(), poolSize: 1);
        await using (var shop = await contexts.CreateDbContextAsync())
        {
            await shop.Database.BeginTransactionAsync();
            await shop.Orders.ExecuteDeleteAsync();
        }

        Assert.Equal(0, database.Leased);
        await using var next = await contexts.CreateDbContextAsync();
        Assert.Null(next.Database.CurrentTransaction);
        Assert.Equal(3, await next.Orders.CountAsync());
    }

    [Fact]
    public async Task The_command_timeout_of_one_use_does_not_affect_the_next()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        var contexts = new PooledDbContextFactory<Shop>(database.Options(), poolSize: 1);
        await using (var shop = await contexts.CreateDbContextAsync())
        {
            shop.Database.SetCommandTimeout(77);
            await shop.Orders.CountAsync();
        }

        await using var next = await contexts.CreateDbContextAsync();
        Assert.Null(next.Database.GetCommandTimeout());
    }

    // Entity Framework does not close it, because it does not own the connection of a context that has rented.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_connection_that_the_application_left_open_is_closed_before_the_next_use(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        var contexts = new PooledDbContextFactory<Shop>(database.Options(), poolSize: 1);
        var first = await contexts.CreateDbContextAsync();
        Assert.Equal(3, await first.Orders.CountAsync());
        var own = first.Database.GetDbConnection();
        await own.OpenAsync();
        await first.Database.ExecuteSqlRawAsync("BEGIN");
        if (isAsync)
        {
            await first.DisposeAsync();
        }
        else
        {
            first.Dispose();
        }

        Assert.Equal(ConnectionState.Closed, own.State);
        await using (var next = await contexts.CreateDbContextAsync())
        {
            next.Add(new Order { Customer = "Dan" });
            await next.SaveChangesAsync();
        }

        await using var later = database.Open();
        Assert.Equal(4, await later.Orders.CountAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Registered_contexts_rent_in_their_scopes(bool isPooled)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 2);
        var services = new ServiceCollection().AddSingleton(database.Pool);
        _ = isPooled ? services.AddDbContextPool<Shop>(Configure) : services.AddDbContext<Shop>(Configure);
        await using (var provider = services.BuildServiceProvider())
        {
            await Task.WhenAll(Enumerable.Range(0, 12).Select(_ => Task.Run(async () =>
            {
                await using var scope = provider.CreateAsyncScope();
                var shop = scope.ServiceProvider.GetRequiredService<Shop>();
                Assert.Equal(3, await shop.Orders.CountAsync());
                await shop.Database.OpenConnectionAsync();
            })));
        }

        Assert.Equal(0, database.Leased);
        Assert.InRange(database.Pool.GetStatistics().Created, 1, 2);

        void Configure(IServiceProvider provider, DbContextOptionsBuilder options) =>
            options.UseNpgsql(database.Unpooled)
                .UsePoolhouse(provider.GetRequiredService<Poolhouse.Data.DbConnectionPool<Npgsql.NpgsqlConnection>>());
    }
}
