using System.Transactions;
using MySqlConnector;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>Scopes of System.Transactions on MySQL and MariaDB.</summary>
public sealed class MariaDbScopes(MariaDbServer server)
{
    public static MatrixTheoryData<string, bool> Openings => new(["Open", "OpenAsync"], [false, true]);

    public static MatrixTheoryData<string, bool> Enlistments =>
        new(["aborted", "committed", "completed", "disposed"], [false, true]);

    // MySqlConnector remembers a transaction that it could not join, and a connection that is closed then keeps its session
    // for it.
    [Theory]
    [MemberData(nameof(Openings))]
    public async Task A_connection_that_could_not_join_an_aborted_scope_is_an_ordinary_one_again(string way, bool isMySqlData)
    {
        var (source, watch, name) = await CreateAsync(isMySqlData);
        await using var ofSource = source;
        await using var ofWatch = watch;
        for (var i = 0; i < 3; i++)
        {
            using var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
            Transaction.Current!.Rollback();
            await Assert.ThrowsAnyAsync<TransactionException>(async () =>
                _ = way is "Open" ? source.OpenConnection() : await source.OpenConnectionAsync(Token));
        }

        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            // The server ends a session some time after it was closed.
            await Patience.UntilAsync(() => watch.CountAsync(name), static sessions => sessions == 1, "one session");
        }

        await source.DisposeAsync();
        await AssertNoSessionAsync(watch, name);
    }

    [Theory]
    [MemberData(nameof(Enlistments))]
    public async Task A_connection_that_could_not_join_a_transaction_leaves_no_session(string end, bool isMySqlData)
    {
        var (source, watch, name) = await CreateAsync(isMySqlData);
        await using var ofSource = source;
        await using var ofWatch = watch;
        for (var i = 0; i < 3; i++)
        {
            using var committable = new CommittableTransaction();
            using var transaction = End(committable, end);
            await using var connection = await source.OpenConnectionAsync(Token);
            Assert.ThrowsAny<Exception>(() => connection.EnlistTransaction(transaction));
        }

        await source.DisposeAsync();
        await AssertNoSessionAsync(watch, name);
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static Transaction End(CommittableTransaction committable, string end)
    {
        var dependent = committable.DependentClone(DependentCloneOption.RollbackIfNotComplete);
        var clone = committable.Clone();
        dependent.Complete();
        switch (end)
        {
            case "aborted":
                committable.Rollback();
                break;
            case "committed":
                committable.Commit();
                break;
            case "disposed":
                clone.Dispose();
                break;
            default:
                return dependent;
        }

        return clone;
    }

    private static Task AssertNoSessionAsync(MariaDbWatch watch, string name) =>
        Patience.UntilAsync(() => watch.CountAsync(name), sessions => sessions == 0, "no session");

    private async Task<(PooledDataSource Source, MariaDbWatch Watch, string Database)> CreateAsync(bool isMySqlData)
    {
        var connectionString = await server.CreateDatabaseAsync();
        var options = new DbPoolOptions();
        options.Pool.MaxSize = 1;
        var source = isMySqlData
            ? PooledDataSource.Create(
                MySql.Data.MySqlClient.MySqlClientFactory.Instance,
                connectionString.Replace("Pooling=false;", "", StringComparison.Ordinal), options)
            : PooledDataSource.Create(new MySqlDataSource(connectionString), options);
        return (
            source,
            new MariaDbWatch(await server.GetConnectionStringAsync()),
            new MySqlConnectionStringBuilder(connectionString).Database);
    }
}
