using System.Transactions;
using Dapper;
using Npgsql;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>Scopes of System.Transactions on a real server.</summary>
public sealed class PostgresScopes(PostgresServer server)
{
    [Theory]
    [InlineData(false, true)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(true, false)]
    public async Task Two_opens_in_one_scope_share_one_transaction(bool async, bool completes)
    {
        await using var inner = NpgsqlDataSource.Create(await server.CreateDatabaseAsync() + ";Pooling=false;Enlist=false");
        await using var source = PooledDataSource.Create(inner);
        await using (var setup = await source.OpenConnectionAsync())
        {
            await setup.ExecuteAsync("CREATE TABLE scoped (a int)");
        }

        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            var pids = new List<int>();
            for (var i = 0; i < 2; i++)
            {
                await using var connection = async ? await source.OpenConnectionAsync() : source.OpenConnection();
                await connection.ExecuteAsync("INSERT INTO scoped VALUES (1)");
                pids.Add(await connection.ExecuteScalarAsync<int>("SELECT pg_backend_pid()"));
            }

            Assert.Single(pids.Distinct());
            Assert.Equal(1, source.GetStatistics().Leased);
            if (completes)
            {
                scope.Complete();
            }
        }

        Assert.Equal(0, source.GetStatistics().Leased);
        await using var after = await source.OpenConnectionAsync();
        Assert.Equal(completes ? 2 : 0, await after.ExecuteScalarAsync<int>("SELECT count(*) FROM scoped"));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    [InlineData(true, false)]
    public async Task A_scope_commits_although_a_reader_was_left_open(bool async, bool resets = true)
    {
        await using var source = PooledDataSource.Create(
            NpgsqlFactory.Instance, await server.CreateDatabaseAsync(),
            new DbPoolOptions { Reset = resets ? null : SessionReset.None });
        await using (var setup = await source.OpenConnectionAsync())
        {
            await setup.ExecuteAsync("CREATE TABLE scoped (a int)");
        }

        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            var connection = await source.OpenConnectionAsync();
            await connection.ExecuteAsync("INSERT INTO scoped VALUES (1)");
            var reader = await connection.ExecuteReaderAsync("SELECT generate_series(1, 100000)");
            Assert.True(await reader.ReadAsync());
            await (async ? connection.CloseAsync() : Task.Run(connection.Close));
            scope.Complete();
        }

        Assert.Equal(0, source.GetStatistics().Leased);
        await using var after = await source.OpenConnectionAsync();
        Assert.Equal(1, await after.ExecuteScalarAsync<int>("SELECT count(*) FROM scoped"));
        Assert.Equal(1, source.GetStatistics().Created);
    }

    [Fact]
    public async Task After_the_scope_the_connection_is_an_ordinary_one_again()
    {
        await using var inner = NpgsqlDataSource.Create(await server.GetConnectionStringAsync() + ";Pooling=false;Enlist=false");
        var options = new DbPoolOptions();
        options.Pool.MaxSize = 1;
        await using var source = PooledDataSource.Create(inner, options);
        for (var i = 0; i < 3; i++)
        {
            using var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
            await using var connection = await source.OpenConnectionAsync();
            Assert.Equal(1, await connection.ExecuteScalarAsync<int>("SELECT 1"));
            await connection.CloseAsync();
        }

        Assert.Equal(1, source.GetStatistics().Created);
    }

    // The transaction completes, and with it the lease, while the provider is still inside its commit: it disposes its own
    // transaction after that, an object that the connection's next transaction uses again, and a close meanwhile belongs to the
    // completed transaction.
    [Theory]
    [InlineData("provider")]
    [InlineData("postgresql")]
    [InlineData("none")]
    [InlineData("none", false)]
    public async Task The_next_lease_begins_when_the_provider_has_left_the_completed_transaction(
        string reset, bool enlists = true)
    {
        var options = new DbPoolOptions
        {
            Reset = reset switch
            {
                "provider" =>
                SessionReset.Provider,
                "postgresql" => SessionReset.PostgreSql,
                _ => SessionReset.None
            },
            Enlist = enlists,
        };

        // The pool asks the provider each millisecond of this clock, and gives up after two seconds of it.
        var clock = new ManualTimeProvider();
        (options.Pool.MaxSize, options.Pool.TimeProvider) = (1, clock);
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, await server.CreateDatabaseAsync(), options);
        await using (var setup = await source.OpenConnectionAsync())
        {
            await setup.ExecuteAsync("CREATE TABLE rows (a int)");
        }

        using var isInCommit = new SemaphoreSlim(0);
        using var leavesCommit = new ManualResetEventSlim();
        var committing =
            Task.Factory.StartNew(CommitInScope, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await isInCommit.WaitAsync(TestContext.Current.CancellationToken);
        var opening = source.OpenConnectionAsync(TestContext.Current.CancellationToken).AsTask();
        for (var pause = 0; pause < 30 && !opening.IsCompleted; pause++)
        {
            clock.Advance(TimeSpan.FromMilliseconds(1));
#pragma warning disable RS0030 // How long a connection that is leased too early may take.
            await Task.Delay(TimeSpan.FromMilliseconds(10), TestContext.Current.CancellationToken);
#pragma warning restore RS0030
        }

        var isEarly = opening.IsCompleted;
        leavesCommit.Set();
        await committing;
        await Patience.UntilAsync(
            () =>
            {
                clock.Advance(TimeSpan.FromMilliseconds(1));
                return ValueTask.FromResult(opening.IsCompleted);
            },
            static isCompleted => isCompleted, "the connection is leased again");
        Assert.False(isEarly, "The connection was leased while its last transaction still used it.");
        await using var next = await opening;
        await using (var transaction = await next.BeginTransactionAsync(TestContext.Current.CancellationToken))
        {
            await next.ExecuteAsync("INSERT INTO rows VALUES (2)");
            await transaction.CommitAsync(TestContext.Current.CancellationToken);
        }

        Assert.Equal([1, 2], await next.QueryAsync<int>("SELECT a FROM rows ORDER BY a"));
        Assert.Equal(reset is "none", await next.ExecuteScalarAsync<bool>("SELECT to_regclass('pg_temp.leftover') IS NOT NULL"));
        Assert.Equal(1, source.GetStatistics().Created);

        void CommitInScope()
        {
            using var scope = new TransactionScope();
            using var connection = source.OpenConnection();
            if (!enlists)
            {
                connection.EnlistTransaction(Transaction.Current);
            }

            connection.Execute("INSERT INTO rows VALUES (1); CREATE TEMP TABLE leftover ()");
            Transaction.Current!.TransactionCompleted += (_, _) =>
            {
                isInCommit.Release();
                leavesCommit.Wait();
            };
            connection.Close();
            scope.Complete();
        }
    }

    [Fact]
    public async Task A_connection_of_a_connection_pool_is_leased_again_after_the_transaction_that_it_was_enlisted_in()
    {
        var options = new DbPoolOptions { Reset = SessionReset.PostgreSql };
        options.Pool.MaxSize = 1;
        await using var pool =
            new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, await server.CreateDatabaseAsync(), options);
        using var transaction = new CommittableTransaction();
        using (var first = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            first.Value.EnlistTransaction(transaction);
            pool.ObserveEnlistment(first, transaction);
            await first.Value.ExecuteAsync("CREATE TABLE rows (a int); INSERT INTO rows VALUES (1)");
        }

        var renting = pool.RentAsync(TestContext.Current.CancellationToken).AsTask();
        Assert.False(renting.IsCompleted);
        transaction.Commit();

        using var next = await renting;
        Assert.Equal([1], await next.Value.QueryAsync<int>("SELECT a FROM rows"));
        Assert.Equal(1, pool.GetStatistics().Created);
    }

    // What three of about 1,300 scopes left behind: a temporary table that was committed, in the next lease.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_scope_ended_by_another_thread_does_not_affect_the_next_lease(bool providersReset)
    {
        var options = new DbPoolOptions { Reset = providersReset ? SessionReset.Provider : SessionReset.PostgreSql };
        options.Pool.MaxSize = 2;
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, await server.CreateDatabaseAsync(), options);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(UseAsync)));

        async Task UseAsync()
        {
            for (var i = 0; i < 50; i++)
            {
                using var transaction = new CommittableTransaction();
                await using (var connection = await source.OpenConnectionAsync())
                {
                    Assert.False(await connection.ExecuteScalarAsync<bool>("SELECT to_regclass('pg_temp.leftover') IS NOT NULL"));
                    connection.EnlistTransaction(transaction);
                    await connection.ExecuteAsync("CREATE TEMP TABLE leftover ()");
                    var ending = Task.Run(transaction.Commit);
                    if (i % 2 == 0)
                    {
                        await ending;
                    }
                    else
                    {
                        await connection.CloseAsync();
                        await ending;
                    }
                }
            }
        }
    }

    // Npgsql joins the transaction before it finds that another one is open, and then refuses to leave it.
    [Fact]
    public async Task A_connection_that_could_not_join_a_transaction_beside_its_own_is_not_leased_again()
    {
        var options = new DbPoolOptions { Reset = SessionReset.PostgreSql };
        options.Pool.MaxSize = 1;
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, await server.CreateDatabaseAsync(), options);
        using var refused = new CommittableTransaction();
        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            await connection.ExecuteAsync("CREATE TABLE lines (amount int); INSERT INTO lines VALUES (1)");
            var own = await connection.BeginTransactionAsync(TestContext.Current.CancellationToken);
            await connection.ExecuteAsync("UPDATE lines SET amount = 2", transaction: own);
            Assert.Throws<InvalidOperationException>(() => connection.EnlistTransaction(refused));
        }

        // The line is not locked any more.
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await using var next = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
            Assert.Equal(1, await next.ExecuteAsync("UPDATE lines SET amount = amount + 2 WHERE amount = 1"));
        }

        Assert.Equal(2, source.GetStatistics().Created);
    }

    // Npgsql remembers a transaction that it could not join, and a connection that is closed then keeps its session for it.
    [Theory]
    [InlineData("Open")]
    [InlineData("OpenAsync")]
    [InlineData("EnlistTransaction")]
    public async Task A_connection_that_could_not_join_an_aborted_transaction_is_an_ordinary_one_again(string way)
    {
        var name = $"aborted-{Guid.NewGuid():N}";
        var options = new DbPoolOptions { Reset = SessionReset.Provider };
        options.Pool.MaxSize = 1;
        var connectionString = await server.CreateDatabaseAsync();
        await using var source =
            PooledDataSource.Create(NpgsqlFactory.Instance, $"{connectionString};Application Name={name}", options);
        for (var i = 0; i < 3; i++)
        {
            await FailToJoinAsync();
        }

        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            await connection.ExecuteAsync("CREATE TABLE kept (a int)");
        }

        await using var observer = NpgsqlDataSource.Create(connectionString + ";Pooling=false");
        await using var count = observer.CreateCommand("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1");
        count.Parameters.AddWithValue(name);
        await Patience.UntilAsync(
            async () => (long)(await count.ExecuteScalarAsync(TestContext.Current.CancellationToken))!, sessions => sessions == 1,
            "one session");

        // A call that fails on an open connection costs that connection.
        Assert.Equal(way is "EnlistTransaction" ? 4 : 1, source.GetStatistics().Created);
        await using var table = observer.CreateCommand("SELECT to_regclass('kept') IS NOT NULL");
        Assert.Equal(true, await table.ExecuteScalarAsync(TestContext.Current.CancellationToken));

        async Task FailToJoinAsync()
        {
            if (way is "EnlistTransaction")
            {
                using var transaction = new CommittableTransaction();
                transaction.Rollback();
                await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
                Assert.ThrowsAny<TransactionException>(() => connection.EnlistTransaction(transaction));
                return;
            }

            using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
            {
                Transaction.Current!.Rollback();
                await Assert.ThrowsAnyAsync<TransactionException>(async () =>
                    _ = way is "Open"
                        ? source.OpenConnection()
                        : await source.OpenConnectionAsync(TestContext.Current.CancellationToken));
            }
        }
    }
}
