using System.Data;
using Microsoft.EntityFrameworkCore;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

public sealed class RentedConnections(PostgresServer server)
{
    [Fact]
    public async Task A_query_rents_and_returns()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();

        Assert.Equal(3, await shop.Orders.CountAsync());
        Assert.Equal((0L, 1L), (database.Leased, database.Pool.GetStatistics().Rented));

        Assert.Equal(["Ada", "Bob", "Cy"], shop.Orders.OrderBy(order => order.Id).Select(order => order.Customer).ToList());
        Assert.Equal((0L, 2L), (database.Leased, database.Pool.GetStatistics().Rented));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Changes_are_saved_over_the_pool(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using (var shop = database.Open())
        {
            var orders = isAsync
                ? await shop.Orders.Include(order => order.Lines).ToListAsync()
                : [.. shop.Orders.Include(order => order.Lines)];
            orders[0].Customer = "Eve";
            shop.Remove(orders[1]);
            shop.Add(new Order { Customer = "Dan", Lines = { new Line { Amount = 9 } } });
            Assert.Equal(5, isAsync ? await shop.SaveChangesAsync() : shop.SaveChanges());
        }

        await using var later = database.Open();
        Assert.Equal(
            ["Cy", "Dan", "Eve"], await later.Orders.Select(order => order.Customer).OrderBy(name => name).ToListAsync());
    }

    [Fact]
    public async Task Contexts_one_after_another_get_the_same_connection()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        var backends = new HashSet<int>();
        for (var i = 0; i < 10; i++)
        {
            await using var shop = database.Open();
            backends.Add(await shop.BackendAsync());
        }

        Assert.Single(backends);
        Assert.Equal(1, database.Pool.GetStatistics().Created);
    }

    [Fact]
    public async Task Session_changes_of_one_context_do_not_reach_the_next()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        int backend;
        await using (var first = database.Open())
        {
            await first.Database.OpenConnectionAsync();
            backend = await first.BackendAsync();
            await first.Database.ExecuteSqlRawAsync(
                "SET search_path = nowhere; SET statement_timeout = 1234; CREATE TEMP TABLE mine(id int)");
            await first.Database.ExecuteSqlRawAsync("SELECT pg_advisory_lock(7)");
        }

        await using var second = database.Open();
        Assert.Equal(backend, await second.BackendAsync());
        Assert.Equal("0", await TextAsync("current_setting('statement_timeout')"));
        Assert.Equal("\"$user\", public", await TextAsync("current_setting('search_path')"));
        Assert.Null(await TextAsync("to_regclass('pg_temp.mine')::text"));
        Assert.Equal("0", await TextAsync("(SELECT count(*)::text FROM pg_locks WHERE locktype = 'advisory')"));

#pragma warning disable EF1002 // The expressions are those above.
        Task<string?> TextAsync(string expression) =>
            second.Database.SqlQueryRaw<string?>($"SELECT {expression} AS \"Value\"").SingleAsync();
#pragma warning restore EF1002
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_opened_connection_is_kept_until_it_is_closed(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        if (isAsync)
        {
            await shop.Database.OpenConnectionAsync();
        }
        else
        {
            shop.Database.OpenConnection();
        }

        Assert.Equal(1, database.Leased);
        Assert.Equal(await shop.BackendAsync(), await shop.BackendAsync());
        Assert.Equal(ConnectionState.Open, shop.Database.GetDbConnection().State);
        Assert.Equal(1, database.Pool.GetStatistics().Rented);

        if (isAsync)
        {
            await shop.Database.CloseConnectionAsync();
        }
        else
        {
            shop.Database.CloseConnection();
        }

        Assert.Equal(0, database.Leased);
        Assert.Equal(ConnectionState.Closed, shop.Database.GetDbConnection().State);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Disposing_a_context_returns_its_open_connection(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        var shop = database.Open();
        await shop.Database.OpenConnectionAsync();
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

    [Fact]
    public async Task The_open_connection_serves_commands_of_the_application()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        await shop.Database.OpenConnectionAsync();

        await using (var command = shop.Database.GetDbConnection().CreateCommand())
        {
            command.CommandText = "SELECT count(*) FROM \"Orders\"";
            Assert.Equal(3L, await command.ExecuteScalarAsync());
        }

        await shop.Database.CloseConnectionAsync();
    }

    [Fact]
    public async Task The_command_timeout_of_a_context_outlives_its_connections()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        shop.Database.SetCommandTimeout(77);

        await shop.Orders.CountAsync();
        Assert.Equal(77, shop.Database.GetCommandTimeout());

        await shop.Database.OpenConnectionAsync();
        Assert.Equal(77, shop.Database.GetCommandTimeout());
    }

    [Fact]
    public async Task A_closed_context_keeps_its_connection_string()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        var before = shop.Database.GetConnectionString();

        await shop.Orders.CountAsync();

        Assert.Equal(before, shop.Database.GetConnectionString());
    }

    [Fact]
    public async Task A_connection_string_that_the_application_sets_is_kept()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        await OpenOwnConnectionWhileRentedAsync(shop);
        var changed = database.Unpooled + ";Application Name=other";
        shop.Database.SetConnectionString(changed);

        await shop.Orders.CountAsync();

        Assert.Equal(changed, shop.Database.GetConnectionString());
    }

    [Fact]
    public async Task A_connection_of_the_application_keeps_its_connection_string()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var connection = new NpgsqlConnection(database.Unpooled + ";Application Name=other");
        await using var shop = database.Open();
        await OpenOwnConnectionWhileRentedAsync(shop);
        shop.Database.SetDbConnection(connection);

        Assert.True(await shop.Database.CanConnectAsync());

        Assert.Contains("Application Name=other", connection.ConnectionString, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Split_queries_and_bulk_updates_rent_like_any_other()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();

        var orders = await shop.Orders.Include(order => order.Lines).AsSplitQuery().OrderBy(order => order.Id).ToListAsync();
        Assert.Equal([2, 1, 0], orders.Select(order => order.Lines.Count));

        Assert.Equal(
            3,
            await shop.Orders.ExecuteUpdateAsync(set => set.SetProperty(order => order.Customer, order => order.Customer + "!")));
        Assert.Equal(3, shop.Lines.ExecuteDelete());
        Assert.Equal(0, database.Leased);
    }

    [Fact]
    public async Task Parallel_contexts_share_the_capacity_of_the_pool()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 3);

        var answers = await Task.WhenAll(Enumerable.Range(0, 40).Select(number => Task.Run(async () =>
        {
            await using var shop = database.Open();
            return await shop.Database.SqlQuery<int>($"SELECT {number} AS \"Value\"").SingleAsync() == number;
        })));

        Assert.DoesNotContain(false, answers);
        Assert.InRange(database.Pool.GetStatistics().Created, 1, 3);
    }

    [Fact]
    public async Task A_connection_of_the_application_is_used_unchanged()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var first = database.Open();
        await using var second = database.Open();
        await first.Database.OpenConnectionAsync();
        second.Database.SetDbConnection(first.Database.GetDbConnection());

        Assert.Equal(await first.BackendAsync(), await second.BackendAsync());
        Assert.Equal(1, database.Pool.GetStatistics().Rented);
    }

    [Fact]
    public async Task A_pool_of_another_database_is_rejected()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var other = await ShopDatabase.CreateAsync(server);
        var options = new DbContextOptionsBuilder<Shop>().UseNpgsql(other.Unpooled).UsePoolhouse(database.Pool).Options;
        await using var shop = new Shop(options);

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => shop.Orders.CountAsync());

        Assert.Contains("a different database", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(0, database.Leased);
    }

    private static async Task OpenOwnConnectionWhileRentedAsync(Shop shop)
    {
        var own = shop.Database.GetDbConnection();
        await shop.Database.OpenConnectionAsync();
        await own.OpenAsync();
        await shop.Database.CloseConnectionAsync();
        await own.CloseAsync();
    }
}
