using System.Data;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Storage;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>
/// A connection of the pool whose lease has ended executes nothing: neither for a context that it was assigned to, nor for the
/// application.
/// </summary>
public sealed class JoinedContexts(PostgresServer server)
{
    private static readonly Dictionary<string, Func<Shop, Shop, Task<object>>> _afterwards = new(StringComparer.Ordinal)
    {
        ["saves"] = async (_, second) => { second.Add(new Order { Customer = "Eve" }); return await second.SaveChangesAsync(); },
        ["saves without the transaction"] = async (_, second) =>
        {
            await second.Database.UseTransactionAsync(null);
            second.Add(new Order { Customer = "Eve" });
            return await second.SaveChangesAsync();
        },
        ["queries"] = async (_, second) => await second.Orders.CountAsync(),
        ["executes"] = async (_, second) =>
        {
            await second.Database.UseTransactionAsync(null);
            return await second.Database.ExecuteSqlRawAsync("DELETE FROM \"Lines\"");
        },
        ["opens"] = async (_, second) =>
        {
            await second.Database.OpenConnectionAsync();
            var count = await second.Orders.CountAsync();
            await second.Database.CloseConnectionAsync();
            return (count, second.Database.GetDbConnection().State);
        },
        ["begins"] = async (_, second) =>
        {
            await using var transaction = await second.Database.BeginTransactionAsync();
            await second.Lines.ExecuteDeleteAsync();
            return await second.Lines.CountAsync();
        },
        ["joins again"] = async (first, second) =>
        {
            await JoinAsync(first, second, isAsync: true, isCommitted: true);
            return await second.Orders.CountAsync();
        },
    };

    public static TheoryData<string> Afterwards => [.. _afterwards.Keys];

    public static TheoryData<bool, bool> Ends => new() { { true, true }, { true, false }, { false, true }, { false, false } };

    [Theory]
    [MemberData(nameof(Ends))]
    public async Task A_context_that_joined_a_transaction_rents_its_own_connection_afterwards(bool isAsync, bool isCommitted)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 2);
        await using var first = database.Open();
        await using var second = database.Open();
        await JoinAsync(first, second, isAsync, isCommitted);
        Assert.Equal(0, database.Leased);

        // The next owner of what the pool has. Its rollback must take nothing with it but its own work.
        await using var third = database.Open();
        await using (var transaction = await third.Database.BeginTransactionAsync())
        {
            await third.Lines.ExecuteDeleteAsync();
            await second.Database.UseTransactionAsync(null);
            second.Add(new Order { Customer = "Eve" });
            _ = isAsync ? await second.SaveChangesAsync() : second.SaveChanges();
            await transaction.RollbackAsync();
        }

        await using var later = database.Open();
        Assert.Equal(
            isCommitted ? ["Dan", "Eve"] : ["Eve"],
            await later.Orders.Where(order => order.Id > 3).Select(order => order.Customer).Order().ToListAsync());
        Assert.Equal(3, await later.Lines.CountAsync());
        Assert.Equal(0, database.Leased);
    }

    [Theory]
    [MemberData(nameof(Afterwards))]
    public async Task A_context_that_joined_a_transaction_continues_as_with_the_providers_pool(string use)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 2);
        await using var rival = await ShopDatabase.CreateAsync(server, maxSize: 2);

        var theirs = await ObserveAsync(() => new Shop(rival.ProviderOptions()), _afterwards[use]);

        Assert.Equal(theirs, await ObserveAsync(() => database.Open(), _afterwards[use]));
    }

    [Fact]
    public async Task A_context_that_joined_a_transaction_can_begin_its_own_afterwards()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 2);
        await using var first = database.Open();
        await using var second = database.Open();
        await JoinAsync(first, second, isAsync: true, isCommitted: true);

        await using (var transaction = await second.Database.BeginTransactionAsync())
        {
            await second.Orders.ExecuteDeleteAsync();
            Assert.Equal(4, await first.Orders.CountAsync());
            await transaction.CommitAsync();
        }

        Assert.Equal(0, await first.Orders.CountAsync());
        Assert.Equal(0, database.Leased);
    }

    [Fact]
    public async Task Pooled_contexts_join_transactions_request_after_request()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 2);
        var contexts = new PooledDbContextFactory<Shop>(database.Options(), poolSize: 4);
        const int Requests = 60;
        for (var request = 0; request < Requests; request++)
        {
            await using var first = await contexts.CreateDbContextAsync();
            await using var second = await contexts.CreateDbContextAsync();
            await JoinAsync(first, second, isAsync: request % 2 == 0, isCommitted: true);
            await second.Database.UseTransactionAsync(null);
            second.Add(new Order { Customer = "after" });
            await second.SaveChangesAsync();
        }

        await using var shop = database.Open();
        Assert.Equal(3 + (2 * Requests), await shop.Orders.CountAsync());
        Assert.Equal(0, database.Leased);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_context_outside_the_pool_opens_a_separate_session_afterwards(bool isSetBefore)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var first = database.Open();
        await using var outside = new Shop(database.ProviderOptions());
        await first.Database.OpenConnectionAsync();
        var rented = first.Database.GetDbConnection();
        var backend = await first.BackendAsync();
        if (isSetBefore)
        {
            outside.Database.SetDbConnection(rented);
            Assert.Equal(backend, await outside.BackendAsync());
        }

        await first.Database.CloseConnectionAsync();
        outside.Database.SetDbConnection(rented);

        Assert.NotEqual(backend, await outside.BackendAsync());
        Assert.Equal(ConnectionState.Closed, rented.State);
        Assert.Equal(3, await first.Orders.CountAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_connection_that_the_application_kept_is_closed_with_its_lease(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        await shop.Database.OpenConnectionAsync();
        var kept = shop.Database.GetDbConnection();
        await using var command = kept.CreateCommand();
        command.CommandText = "SELECT pg_backend_pid()";
        var backend = await command.ExecuteScalarAsync();

        if (isAsync)
        {
            await shop.Database.CloseConnectionAsync();
        }
        else
        {
            shop.Database.CloseConnection();
        }

        await Assert.ThrowsAnyAsync<InvalidOperationException>(() => command.ExecuteScalarAsync());

        // Opened again it has a session of its own, which the pool leaves alone.
        await kept.OpenAsync();
        Assert.NotEqual(backend, await command.ExecuteScalarAsync());
        Assert.NotEqual(await command.ExecuteScalarAsync(), await shop.BackendAsync());
        Assert.Equal(ConnectionState.Open, kept.State);
        await kept.DisposeAsync();
    }

    [Fact]
    public async Task A_connection_that_the_application_kept_is_closed_with_the_scope_that_it_served()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        System.Data.Common.DbConnection kept;
        using (var scope = new System.Transactions.TransactionScope(System.Transactions.TransactionScopeAsyncFlowOption.Enabled))
        {
            await shop.Database.OpenConnectionAsync();
            kept = shop.Database.GetDbConnection();
            await shop.Orders.ExecuteDeleteAsync();
            await shop.Database.CloseConnectionAsync();
            Assert.Equal(0, await shop.Orders.CountAsync());
            scope.Complete();
        }

        Assert.Equal(ConnectionState.Closed, kept.State);
        Assert.Equal(0, database.Leased);
        Assert.Equal(0, await shop.Orders.CountAsync());
    }

    [Fact]
    public async Task Statements_of_the_application_keep_the_connection()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        var backend = await shop.BackendAsync();

        await shop.Database.OpenConnectionAsync();
        await shop.Database.ExecuteSqlRawAsync("SELECT 1");
        _ = shop.Database.ExecuteSql($"SELECT {1}");
        _ = shop.Database.GetConnectionString();
        shop.Database.SetCommandTimeout(shop.Database.GetCommandTimeout());
        await using (await shop.Database.BeginTransactionAsync())
        {
            await shop.Orders.CountAsync();
        }

        await Assert.ThrowsAsync<FormatException>(() => shop.Database.ExecuteSqlRawAsync("SELECT {", 1));
        await shop.Database.CloseConnectionAsync();

        Assert.Equal(backend, await shop.BackendAsync());
        Assert.Equal(1, database.Pool.GetStatistics().Created);
    }

    private static async Task<string> ObserveAsync(Func<Shop> open, Func<Shop, Shop, Task<object>> use)
    {
        string outcome;
        await using (var first = open())
        {
            await using var second = open();
            await JoinAsync(first, second, isAsync: true, isCommitted: true);
            try
            {
                outcome = (await use(first, second)).ToString()!;
            }
            catch (Exception failure)
            {
                outcome = failure.GetType().Name;
            }
        }

        await using var later = open();
        return $"{outcome}; {await later.Orders.CountAsync()} orders, {await later.Lines.CountAsync()} lines";
    }

    private static async Task JoinAsync(Shop first, Shop second, bool isAsync, bool isCommitted)
    {
        await using var transaction = isAsync ? await first.Database.BeginTransactionAsync() : first.Database.BeginTransaction();
        second.Database.SetDbConnection(first.Database.GetDbConnection());
        await second.Database.UseTransactionAsync(transaction.GetDbTransaction());
        second.Add(new Order { Customer = "Dan" });
        await second.SaveChangesAsync();
        second.ChangeTracker.Clear();
        if (!isCommitted)
        {
            await transaction.RollbackAsync();
        }
        else if (isAsync)
        {
            await transaction.CommitAsync();
        }
        else
        {
            transaction.Commit();
        }
    }
}
