using System.Transactions;
using Microsoft.EntityFrameworkCore;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests.Regressions;

/// <summary>npgsql#495, npgsql#5079: after the timeout of a scope, the rows that are written in it stay.</summary>
public sealed class ScopeTimeouts(PostgresServer server)
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Npgsql_495_a_context_writes_nothing_in_a_scope_whose_transaction_has_aborted(bool staysOpen)
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await using var shop = database.Open();
            if (staysOpen)
            {
                await shop.Database.OpenConnectionAsync(TestContext.Current.CancellationToken);
            }

            await shop.Database.ExecuteSqlAsync($"CREATE TABLE late (a int)", TestContext.Current.CancellationToken);
            Transaction.Current!.Rollback();

            await Assert.ThrowsAnyAsync<TransactionException>(
                () => shop.Database.ExecuteSqlAsync($"CREATE TABLE late (a int)", TestContext.Current.CancellationToken));
            await Assert.ThrowsAnyAsync<TransactionException>(
                () => shop.Orders.CountAsync(TestContext.Current.CancellationToken));
        }

        await using var after = database.Open();
        Assert.Equal(
            0,
            await after.Database
                .SqlQuery<int>($"SELECT count(*)::int AS \"Value\" FROM pg_class WHERE relname = 'late'")
                .SingleAsync(TestContext.Current.CancellationToken));
    }
}
