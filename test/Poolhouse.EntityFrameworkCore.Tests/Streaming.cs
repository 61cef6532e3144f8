using System.Transactions;
using Microsoft.EntityFrameworkCore;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

public sealed class Streaming(PostgresServer server)
{
    [Fact]
    public async Task A_streaming_query_holds_its_connection_to_the_end()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        var seen = 0;
        await foreach (var order in shop.Orders.AsNoTracking().AsAsyncEnumerable())
        {
            Assert.Equal(1, database.Leased);
            seen += order.Id > 0 ? 1 : 0;
        }

        Assert.Equal((3, 0L), (seen, database.Leased));
    }

    [Fact]
    public async Task An_abandoned_streaming_query_returns_its_connection()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        await foreach (var number in shop.Database.SqlQueryRaw<int>("SELECT generate_series(1, 100000) AS \"Value\"")
            .AsAsyncEnumerable())
        {
            Assert.Equal(1, number);
            break;
        }

        Assert.Equal(0, database.Leased);
        Assert.Equal(3, await shop.Orders.CountAsync());

        foreach (var number in shop.Database.SqlQueryRaw<int>("SELECT generate_series(1, 100000) AS \"Value\""))
        {
            Assert.Equal(1, number);
            break;
        }

        Assert.Equal(0, database.Leased);
        Assert.Equal(3, await shop.Orders.CountAsync());
    }

    [Fact]
    public async Task A_streaming_query_that_is_never_disposed_ends_with_its_context()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        var shop = database.Open();
        var stream = shop.Orders.AsAsyncEnumerable().GetAsyncEnumerator();
        Assert.True(await stream.MoveNextAsync());
        Assert.Equal(1, database.Leased);

        await shop.DisposeAsync();

        Assert.Equal(0, database.Leased);
        await using var next = database.Open();
        Assert.Equal(3, await next.Orders.CountAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_scope_commits_although_a_streaming_query_was_never_disposed(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            var shop = database.Open();
            shop.Add(new Order { Customer = "Dan" });
            await shop.SaveChangesAsync();
            if (isAsync)
            {
                Assert.True(await shop.Orders.AsAsyncEnumerable().GetAsyncEnumerator().MoveNextAsync());
                await shop.DisposeAsync();
            }
            else
            {
                Assert.True(shop.Orders.AsEnumerable().GetEnumerator().MoveNext());
                shop.Dispose();
            }

            await using var other = database.Open();
            Assert.Equal(4, await other.Orders.CountAsync());
            scope.Complete();
        }

        Assert.Equal(0, database.Leased);
        await using var later = database.Open();
        Assert.Equal(4, await later.Orders.CountAsync());
    }

    // Npgsql uses a reader that was disposed again for the next query of its session.
    [Theory]
    [InlineData(true, true)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(false, false)]
    public async Task A_streaming_query_that_is_disposed_late_does_not_end_that_of_the_next_context(bool isAsync, bool isInScope)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        IAsyncEnumerator<Order> late;
        using (var scope = isInScope ? new TransactionScope(TransactionScopeAsyncFlowOption.Enabled) : null)
        {
            var shop = database.Open();
            late = shop.Orders.AsAsyncEnumerable().GetAsyncEnumerator();
            Assert.True(await late.MoveNextAsync());
            if (isAsync)
            {
                await shop.DisposeAsync();
            }
            else
            {
                shop.Dispose();
            }

            scope?.Complete();
        }

        await using var next = database.Open();
        await using var stream = next.Orders.AsAsyncEnumerable().GetAsyncEnumerator();
        Assert.True(await stream.MoveNextAsync());

        await late.DisposeAsync();

        Assert.True(await stream.MoveNextAsync());
    }

    [Fact]
    public async Task Two_contexts_stream_concurrently()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 2);
        await using var first = database.Open();
        await using var second = database.Open();
        var pairs = 0;
        await foreach (var order in first.Orders.AsAsyncEnumerable())
        {
            await foreach (var line in second.Lines.Where(line => line.OrderId == order.Id).AsAsyncEnumerable())
            {
                pairs += line.Amount > 0 ? 1 : 0;
            }
        }

        Assert.Equal(3, pairs);
    }

    [Fact]
    public async Task A_streaming_query_cancelled_midway_returns_its_connection()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        using var cancel = new CancellationTokenSource();
        var endless = shop.Database.SqlQueryRaw<int>("SELECT generate_series(1, 1000000) AS \"Value\"").AsAsyncEnumerable();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var number in endless.WithCancellation(cancel.Token))
            {
                if (number == 10)
                {
                    await cancel.CancelAsync();
                }
            }
        });

        Assert.Equal(0, database.Leased);
        Assert.Equal(3, await shop.Orders.CountAsync());
    }
}
