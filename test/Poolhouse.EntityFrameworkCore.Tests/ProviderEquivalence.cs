using System.Data;
using System.Globalization;
using System.Transactions;
using Microsoft.EntityFrameworkCore;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>The same code with Npgsql's own pool and with ours: same results, same exceptions, same state afterwards.</summary>
public sealed class ProviderEquivalence(PostgresServer server)
{
    private static readonly Dictionary<string, Func<Shop, Task<object?>>> _uses = new(StringComparer.Ordinal)
    {
        ["count"] = async shop => await shop.Orders.CountAsync(),
        ["count, sync"] = shop => Task.FromResult<object?>(shop.Orders.Count()),
        ["include"] =
            async shop => Text(await shop.Orders.Include(order => order.Lines).OrderBy(order => order.Id).ToListAsync()),
        ["split"] = async shop =>
            Text(await shop.Orders.Include(order => order.Lines).AsSplitQuery().OrderBy(order => order.Id).ToListAsync()),
        ["find"] = async shop => (await shop.Orders.FindAsync(2))!.Customer,
        ["none"] = async shop => await shop.Orders.SingleAsync(order => order.Customer == "Nobody"),
        ["add"] = async shop =>
        {
            var order = shop.Add(new Order { Customer = "Dan", Lines = { new Line { Amount = 4 } } }).Entity;
            return (await shop.SaveChangesAsync(), order.Id, order.Lines[0].OrderId);
        },
        ["add, sync"] = shop =>
        {
            shop.Add(new Order { Customer = "Dan" });
            return Task.FromResult<object?>(shop.SaveChanges());
        },
        ["duplicate"] = async shop =>
        {
            shop.Add(new Order { Id = 1, Customer = "again" });
            return await shop.SaveChangesAsync();
        },
        ["syntax error"] = async shop => await shop.Database.ExecuteSqlRawAsync("SELEKT"),
        ["no table"] = shop => Task.FromResult<object?>(shop.Database.ExecuteSqlRaw("DELETE FROM nowhere")),
        ["cancelled before"] = async shop => await shop.Orders.CountAsync(new CancellationToken(canceled: true)),
        ["cancelled command"] = async shop =>
        {
            await shop.SleepUntilCancelledAsync();
            return null;
        },
        ["command time-out"] = async shop =>
        {
            shop.Database.SetCommandTimeout(1);
            try
            {
                return await shop.Database.ExecuteSqlRawAsync("SELECT pg_sleep(600)");
            }
            finally
            {
                shop.Database.SetCommandTimeout((int?)null);
            }
        },
        ["rollback"] = async shop =>
        {
            await using var transaction = await shop.Database.BeginTransactionAsync(System.Data.IsolationLevel.Serializable);
            await shop.Lines.ExecuteDeleteAsync();
            await transaction.RollbackAsync();
            return await shop.Lines.CountAsync();
        },
        ["second transaction"] = async shop =>
        {
            await using var transaction = await shop.Database.BeginTransactionAsync();
            return await shop.Database.BeginTransactionAsync();
        },
        ["two commands at once"] = async shop =>
        {
            await foreach (var order in shop.Orders.AsAsyncEnumerable())
            {
                return await shop.Lines.CountAsync(line => line.OrderId == order.Id);
            }

            return null;
        },
        ["scope"] = async shop =>
        {
            using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
            {
                await shop.Lines.ExecuteDeleteAsync();
                shop.Add(new Order { Customer = "Dan" });
                await shop.SaveChangesAsync();
            }

            return (await shop.Lines.CountAsync(), await shop.Orders.CountAsync());
        },
        ["transaction in a scope"] = async shop =>
        {
            using var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
            return await shop.Database.BeginTransactionAsync();
        },
        ["another connection while open"] = async shop =>
        {
            await shop.Database.OpenConnectionAsync();
            shop.Database.SetDbConnection(new NpgsqlConnection());
            return null;
        },
        ["open twice"] = async shop =>
        {
            await shop.Database.OpenConnectionAsync();
            await shop.Database.OpenConnectionAsync();
            await shop.Database.CloseConnectionAsync();
            var between = shop.Database.GetDbConnection().State;
            await shop.Database.CloseConnectionAsync();
            return (between, shop.Database.GetDbConnection().State);
        },
        ["close once too often"] = async shop =>
        {
            await shop.Database.OpenConnectionAsync();
            await shop.Database.CloseConnectionAsync();
            await shop.Database.CloseConnectionAsync();
            return await shop.Orders.CountAsync();
        },
        ["no transaction to commit"] = async shop =>
        {
            await shop.Database.CommitTransactionAsync();
            return null;
        },
        ["set local"] = async shop =>
        {
            await using var transaction = await shop.Database.BeginTransactionAsync();
            await shop.Database.ExecuteSqlRawAsync("SET LOCAL statement_timeout = 4321");
            return await shop.Database.SqlQueryRaw<string>("SELECT current_setting('statement_timeout') AS \"Value\"")
                .SingleAsync();
        },
        ["update of a row that is gone"] = async shop =>
        {
            var order = await shop.Orders.OrderBy(each => each.Id).LastAsync();
            await shop.Orders.Where(each => each.Id == order.Id).ExecuteDeleteAsync();
            order.Customer = "ghost";
            return await shop.SaveChangesAsync();
        },
        ["strategy and transaction"] = async shop => await shop.Database.CreateExecutionStrategy().ExecuteAsync(async () =>
        {
            await using var transaction = await shop.Database.BeginTransactionAsync();
            var changed =
                await shop.Lines.ExecuteUpdateAsync(set => set.SetProperty(line => line.Amount, line => line.Amount + 1));
            await transaction.CommitAsync();
            return changed;
        }),
        ["connection of the context"] = async shop =>
        {
            await shop.Database.OpenConnectionAsync();
            await using var command = shop.Database.GetDbConnection().CreateCommand();
            command.CommandText = "SELECT current_database() = $1";
            ((NpgsqlCommand)command).Parameters.AddWithValue(shop.Database.GetDbConnection().Database);
            return await command.ExecuteScalarAsync();
        },
    };

    public static TheoryData<string> Uses => [.. _uses.Keys];

    [Theory]
    [MemberData(nameof(Uses))]
    public async Task Both_pools_behave_identically(string use)
    {
        string theirs;
        await using (var database = await ShopDatabase.CreateAsync(server))
        {
            var provider = database.ProviderOptions(suffix: null);
            theirs = await ObserveAsync(() => new Shop(provider), _uses[use]);
            await using var connection = new NpgsqlConnection(database.ConnectionString);
            NpgsqlConnection.ClearPool(connection);
        }

        await using var pooled = await ShopDatabase.CreateAsync(server);
        Assert.Equal(theirs, await ObserveAsync(() => pooled.Open(), _uses[use]));
    }

    /// <summary>What came out, how the context was left, and what a next context finds.</summary>
    private static async Task<string> ObserveAsync(Func<Shop> open, Func<Shop, Task<object?>> use)
    {
        string outcome;
        ConnectionState state;
        bool isInTransaction;
        int after;
        await using (var shop = open())
        {
            try
            {
                outcome = Convert.ToString(await use(shop), CultureInfo.InvariantCulture) ?? "nothing";
            }
            catch (Exception failure)
            {
                outcome = Describe(failure);
            }

            state = shop.Database.GetDbConnection().State;
            isInTransaction = shop.Database.CurrentTransaction is not null;
            shop.ChangeTracker.Clear();
            after = await shop.Orders.CountAsync();
        }

        await using var next = open();
        var (orders, lines) = (await next.Orders.CountAsync(), await next.Lines.CountAsync());
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{outcome}; {state}; in transaction: {isInTransaction}; {after} orders; {orders} orders, {lines} lines");
    }

    private static string Describe(Exception failure)
    {
        var state = failure is PostgresException postgres ? " " + postgres.SqlState : "";
        var inner = failure.InnerException is { } cause ? " < " + Describe(cause) : "";
        return failure.GetType().Name + state + inner;
    }

    private static string Text(List<Order> orders) =>
        string.Join(
            ' ',
            orders.Select(order => order.Customer + ":" + string.Join(',', order.Lines.Select(line => line.Amount).Order())));
}
