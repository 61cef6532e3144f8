using Microsoft.Data.SqlClient;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Storage;
using Poolhouse.Data;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>EF Core's SqlServer provider over a pool, on the model of SQL Server.</summary>
public sealed class SqlServerContexts : IAsyncDisposable
{
    private readonly TdsServer _server = TdsServer.Start();
    private readonly DbConnectionPool<SqlConnection> _pool;

    public SqlServerContexts()
    {
        var options = new DbPoolOptions();
        options.Pool.MaxSize = 4;
        _pool = new DbConnectionPool<SqlConnection>(SqlClientFactory.Instance, ConnectionString, options);
    }

    public async ValueTask DisposeAsync()
    {
        Assert.Equal(0, _pool.GetStatistics().Leased);
        await _pool.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Entities_are_inserted_read_changed_and_deleted(bool isAsync)
    {
        await using (var shop = await CreateAsync())
        {
            shop.Add(new Order { Customer = "Ada", Lines = { new Line { Amount = 1 }, new Line { Amount = 2 } } });
            shop.Add(new Order { Customer = "Bob" });
            Assert.Equal(4, isAsync ? await shop.SaveChangesAsync(Token) : shop.SaveChanges());
        }

        await using (var shop = Open())
        {
            var orders = shop.Orders.Include(order => order.Lines).OrderBy(order => order.Customer);
            var read = isAsync ? await orders.ToListAsync(Token) : orders.ToList();
            Assert.Equal(["Ada: 1, 2", "Bob: "], read.Select(order =>
                $"{order.Customer}: {string.Join(", ", order.Lines.Select(line => line.Amount).Order())}"));
            read[0].Customer = "Ann";
            shop.Remove(read[1]);
            Assert.Equal(2, isAsync ? await shop.SaveChangesAsync(Token) : shop.SaveChanges());
            Assert.Equal(1, await shop.Lines.Where(line => line.Amount == 2).ExecuteDeleteAsync(Token));
            Assert.Equal(1, await shop.Lines.ExecuteUpdateAsync(
                line => line.SetProperty(each => each.Amount, each => each.Amount + 4), Token));
        }

        await using var last = Open();
        var only = await last.Orders.Include(order => order.Lines).SingleAsync(order => order.Customer.Length == 3, Token);
        Assert.Equal(("Ann", 5), (only.Customer, Assert.Single(only.Lines).Amount));
        Assert.False(await last.Orders.AnyAsync(order => order.Customer == "Bob", Token));
    }

    [Fact]
    public async Task A_transaction_is_committed_rolled_back_to_a_savepoint_or_abandoned()
    {
        await using (var shop = await CreateAsync())
        await using (var transaction = await shop.Database.BeginTransactionAsync(Token))
        {
            shop.Add(new Order { Customer = "Ada" });
            await shop.SaveChangesAsync(Token);
            await transaction.CreateSavepointAsync("first", Token);
            shop.Add(new Order { Customer = "Bob" });
            await shop.SaveChangesAsync(Token);
            await transaction.RollbackToSavepointAsync("first", Token);
            await transaction.CommitAsync(Token);
        }

        await using (var shop = Open())
        {
            await shop.Database.BeginTransactionAsync(Token);
            shop.Add(new Order { Customer = "Eve" });
            await shop.SaveChangesAsync(Token);
        }

        await using var other = Open();
        Assert.Equal(["Ada"], await other.Orders.Select(order => order.Customer).ToListAsync(Token));
    }

    [Fact]
    public async Task A_change_that_was_overtaken_is_reported()
    {
        await using var shop = await CreateAsync();
        var order = shop.Add(new Order { Customer = "Ada" }).Entity;
        await shop.SaveChangesAsync(Token);
        await using (var other = Open())
        {
            await other.Orders.ExecuteDeleteAsync(Token);
        }

        order.Customer = "Ann";
        await Assert.ThrowsAsync<DbUpdateConcurrencyException>(() => shop.SaveChangesAsync(Token));
    }

    [Fact]
    public async Task With_EnableRetryOnFailure_no_caller_fails_across_a_restart()
    {
        await using (var shop = await CreateAsync())
        {
            shop.Add(new Order { Customer = "Ada" });
            await shop.SaveChangesAsync(Token);
        }

        using var ended = new CancellationTokenSource();
        var served = new int[8];
        var callers = Enumerable.Range(0, served.Length).Select(caller => Task.Run(() => CallAsync(caller), Token)).ToList();
        await AllServedMoreThanAsync(new int[served.Length]);
        _server.Stop();
        _server.StartAgain();
        await AllServedMoreThanAsync((int[])served.Clone());
        await ended.CancelAsync();
        await Patience.WithinAsync(Task.WhenAll(callers));

        async Task CallAsync(int caller)
        {
            while (!ended.IsCancellationRequested)
            {
                await using var shop = Open(isRetrying: true);
                Assert.Equal(1, await shop.Orders.CountAsync(CancellationToken.None));
                Interlocked.Increment(ref served[caller]);
            }
        }

        Task AllServedMoreThanAsync(int[] before) => Patience.UntilAsync(
            () => new ValueTask<bool>(callers.Exists(caller => caller.IsFaulted)
                || served.Zip(before).All(pair => pair.First > pair.Second + 1)),
            all => all,
            "all callers are served");
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private string ConnectionString => _server.ConnectionString + ";Connect Timeout=30";

    private async Task<Shop> CreateAsync()
    {
        var shop = Open();
        await shop.GetService<IRelationalDatabaseCreator>().CreateTablesAsync(Token);
        return shop;
    }

    private Shop Open(bool isRetrying = false) => new(new DbContextOptionsBuilder<Shop>()
        .UseSqlServer(
            ConnectionString + ";Pooling=false",
            server =>
            {
                if (isRetrying)
                {
                    // What a session that ends beneath a statement throws; EF Core's list lacks it on Linux.
                    server.EnableRetryOnFailure(20, TimeSpan.FromSeconds(1), errorNumbersToAdd: [0]);
                }
            })
        .UsePoolhouse(_pool).Options);
}
