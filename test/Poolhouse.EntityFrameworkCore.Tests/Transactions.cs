using System.Data;
using System.Transactions;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Storage;
using Poolhouse.Data;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;
using IsolationLevel = System.Data.IsolationLevel;

namespace Poolhouse.EntityFrameworkCore.Tests;

public sealed class Transactions(PostgresServer server)
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_transaction_keeps_its_connection_until_it_ends(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        var transaction = isAsync ? await shop.Database.BeginTransactionAsync() : shop.Database.BeginTransaction();
        Assert.Equal(1, database.Leased);
        Assert.Equal(await shop.BackendAsync(), await shop.BackendAsync());
        shop.Add(new Order { Customer = "Dan" });
        await shop.SaveChangesAsync();

        if (isAsync)
        {
            await transaction.CommitAsync();
            await transaction.DisposeAsync();
        }
        else
        {
            transaction.Commit();
            transaction.Dispose();
        }

        Assert.Equal(0, database.Leased);
        Assert.Equal(4, await shop.Orders.CountAsync());
    }

    [Fact]
    public async Task A_transaction_that_is_not_committed_is_rolled_back()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using (var shop = database.Open())
        {
            await using var transaction = await shop.Database.BeginTransactionAsync();
            await shop.Orders.ExecuteDeleteAsync();
        }

        Assert.Equal(0, database.Leased);
        await using var later = database.Open();
        Assert.Equal(3, await later.Orders.CountAsync());
    }

    [Fact]
    public async Task A_context_that_is_disposed_within_a_transaction_rolls_back_and_returns()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        var shop = database.Open();
        await shop.Database.BeginTransactionAsync();
        await shop.Orders.ExecuteDeleteAsync();
        await shop.DisposeAsync();

        Assert.Equal(0, database.Leased);
        await using var later = database.Open();
        Assert.Equal(3, await later.Orders.CountAsync());
    }

    // With a connection string, which cannot be set on an open connection.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_commit_succeeds_although_the_application_opened_the_contexts_own_connection(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        var own = shop.Database.GetDbConnection();
        var before = shop.Database.GetConnectionString();
        await using (var transaction = await shop.Database.BeginTransactionAsync())
        {
            await own.OpenAsync();
            shop.Add(new Order { Customer = "Dan" });
            await shop.SaveChangesAsync();
            await CommitAsync(transaction, isAsync);
        }

        Assert.Equal(0, database.Leased);
        Assert.Equal(4, await shop.Orders.CountAsync());
        await own.CloseAsync();
        Assert.Equal(4, await shop.Orders.CountAsync());
        Assert.Equal(before, shop.Database.GetConnectionString());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_commit_succeeds_although_the_application_disposed_the_contexts_own_connection(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        var own = shop.Database.GetDbConnection();
        await using (var transaction = await shop.Database.BeginTransactionAsync())
        {
            await own.OpenAsync();
            await own.DisposeAsync();
            shop.Add(new Order { Customer = "Dan" });
            await shop.SaveChangesAsync();
            await CommitAsync(transaction, isAsync);
        }

        Assert.Equal(0, database.Leased);
        await using var later = database.Open();
        Assert.Equal(4, await later.Orders.CountAsync());
    }

    [Fact]
    public async Task A_context_whose_own_connection_was_disposed_returns_its_connection_if_it_cannot_join_a_scope()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        var own = shop.Database.GetDbConnection();
        await own.OpenAsync();
        await own.DisposeAsync();
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            Transaction.Current!.Rollback();
            await Assert.ThrowsAnyAsync<TransactionException>(() => shop.Orders.CountAsync());
        }

        Assert.Equal(0, database.Leased);
    }

    [Fact]
    public async Task Savepoints_work_within_a_lease()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        await using (var transaction = await shop.Database.BeginTransactionAsync())
        {
            await transaction.CreateSavepointAsync("before");
            await shop.Orders.ExecuteDeleteAsync();
            await transaction.RollbackToSavepointAsync("before");
            await transaction.CommitAsync();
        }

        Assert.Equal(3, await shop.Orders.CountAsync());
    }

    // Npgsql keeps one transaction object per connection and uses it again for the next transaction.
    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public async Task Disposing_an_ended_transaction_does_not_affect_the_next_lease(bool isAsync, bool isCommitted)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var first = database.Open();
        await using var second = database.Open();
        var ended = isAsync ? await first.Database.BeginTransactionAsync() : first.Database.BeginTransaction();
        Assert.Equal(3, await first.Orders.CountAsync());
        if (isAsync)
        {
            await (isCommitted ? ended.CommitAsync() : ended.RollbackAsync());
        }
        else if (isCommitted)
        {
            ended.Commit();
        }
        else
        {
            ended.Rollback();
        }

        await using var next = await second.Database.BeginTransactionAsync();
        second.Add(new Order { Customer = "Dan" });
        await second.SaveChangesAsync();
        if (isAsync)
        {
            await ended.DisposeAsync();
        }
        else
        {
            ended.Dispose();
        }

        await next.CommitAsync();
        Assert.Equal(4, await first.Orders.CountAsync());
        Assert.Equal(1, database.Pool.GetStatistics().Created);
    }

    [Fact]
    public async Task An_ended_transaction_cannot_be_used_in_the_next_lease()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var first = database.Open();
        await using var second = database.Open();
        await using var ended = await first.Database.BeginTransactionAsync();
        await ended.CommitAsync();
        await using (await second.Database.BeginTransactionAsync())
        {
            Assert.Equal(3, await second.Orders.ExecuteDeleteAsync());
            Assert.ThrowsAny<InvalidOperationException>(ended.Commit);
            Assert.ThrowsAny<InvalidOperationException>(ended.Rollback);
            Assert.ThrowsAny<InvalidOperationException>(() => ended.CreateSavepoint("a"));
            Assert.ThrowsAny<InvalidOperationException>(() => ended.RollbackToSavepoint("a"));
            Assert.ThrowsAny<InvalidOperationException>(() => ended.ReleaseSavepoint("a"));
            await Assert.ThrowsAnyAsync<InvalidOperationException>(() => ended.CommitAsync());
            await Assert.ThrowsAnyAsync<InvalidOperationException>(() => ended.RollbackAsync());
            await Assert.ThrowsAnyAsync<InvalidOperationException>(() => ended.CreateSavepointAsync("a"));
            await Assert.ThrowsAnyAsync<InvalidOperationException>(() => ended.RollbackToSavepointAsync("a"));
            await Assert.ThrowsAnyAsync<InvalidOperationException>(() => ended.ReleaseSavepointAsync("a"));
        }

        Assert.Equal(3, await first.Orders.CountAsync());
    }

    // Npgsql keeps one transaction object per connection and uses it again for the next transaction.
    [Theory]
    [InlineData("BeginTransaction")]
    [InlineData("BeginTransactionAsync")]
    [InlineData("BeginTransaction(level)")]
    [InlineData("BeginTransactionAsync(level)")]
    [InlineData("CurrentTransaction")]
    public async Task What_the_application_keeps_of_a_transaction_does_not_reach_the_next_lease(string way)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var first = database.Open();
        await using var second = database.Open();
        var begun = way switch
        {
            "BeginTransaction" => first.Database.BeginTransaction(),
            "BeginTransactionAsync" => await first.Database.BeginTransactionAsync(),
            "BeginTransaction(level)" => first.Database.BeginTransaction(IsolationLevel.Serializable),
            "BeginTransactionAsync(level)" => await first.Database.BeginTransactionAsync(IsolationLevel.Serializable),
            _ => first.Database.BeginTransaction() is { } ? first.Database.CurrentTransaction! : null!,
        };
        Assert.Same(begun, first.Database.CurrentTransaction);
        var kept = begun.GetDbTransaction();
        var connection = kept.Connection!;
        first.Add(new Order { Customer = "Dan" });
        await first.SaveChangesAsync();
        await first.Database.CommitTransactionAsync();

        await using var next = await second.Database.BeginTransactionAsync();
        second.Add(new Order { Customer = "Eve" });
        await second.SaveChangesAsync();
        await kept.DisposeAsync();
        Assert.Equal(ConnectionState.Closed, connection.State);
        await next.CommitAsync();
        Assert.Equal(5, await first.Orders.CountAsync());
    }

    [Fact]
    public async Task The_providers_transaction_cannot_be_obtained_after_the_end()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        await using var ended = await shop.Database.BeginTransactionAsync();
        await ended.CommitAsync();

        Assert.ThrowsAny<InvalidOperationException>(() => ended.GetDbTransaction());
        Assert.Null(shop.Database.CurrentTransaction);
        Assert.Equal(3, await shop.Orders.CountAsync());
        Assert.Equal(1, database.Pool.GetStatistics().Created);
    }

    [Fact]
    public async Task A_transaction_that_is_disposed_while_its_context_stays_open_is_rolled_back()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        await shop.Database.OpenConnectionAsync();
        await using (await shop.Database.BeginTransactionAsync())
        {
            await shop.Orders.ExecuteDeleteAsync();
        }

        Assert.Equal(3, await shop.Orders.CountAsync());
        Assert.Equal(1, database.Leased);
        await shop.Database.CloseConnectionAsync();
    }

    [Fact]
    public async Task A_released_savepoint_keeps_its_changes()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open();
        await using (var transaction = await shop.Database.BeginTransactionAsync())
        {
            Assert.True(transaction.SupportsSavepoints);
            transaction.CreateSavepoint("before");
            shop.Add(new Order { Customer = "Dan" });
            await shop.SaveChangesAsync();
            transaction.ReleaseSavepoint("before");
            await transaction.CommitAsync();
        }

        Assert.Equal(4, await shop.Orders.CountAsync());
    }

    [Fact]
    public async Task A_second_context_joins_a_transaction_over_the_same_connection()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var first = database.Open();
        await using (var transaction = await first.Database.BeginTransactionAsync())
        {
            await using var second = database.Open();
            second.Database.SetDbConnection(first.Database.GetDbConnection());
            await second.Database.UseTransactionAsync(transaction.GetDbTransaction());
            second.Add(new Order { Customer = "Dan" });
            await second.SaveChangesAsync();
            Assert.Equal(4, await first.Orders.CountAsync());
            await transaction.RollbackAsync();
        }

        Assert.Equal(3, await first.Orders.CountAsync());
    }

    public static TheoryData<PoolSource> Sources => new(Enum.GetValues<PoolSource>());

    public static MatrixTheoryData<PoolSource, bool> SourcesTwice => new(Enum.GetValues<PoolSource>(), [true, false]);

    [Theory]
    [MemberData(nameof(SourcesTwice))]
    public async Task A_scope_keeps_one_connection_for_all_its_contexts(PoolSource source, bool isCompleted)
    {
        await using var database = await ShopDatabase.CreateAsync(server, source: source);
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            int backend;
            await using (var first = database.Open())
            {
                first.Add(new Order { Customer = "Dan" });
                await first.SaveChangesAsync();
                backend = await first.BackendAsync();
            }

            Assert.Equal(1, database.Leased);
            await using (var second = database.Open())
            {
                Assert.Equal(backend, await second.BackendAsync());
                second.Add(new Order { Customer = "Eve" });
                second.SaveChanges();
            }

            await using (var outside = database.Open())
            {
                using var suppressed =
                    new TransactionScope(TransactionScopeOption.Suppress, TransactionScopeAsyncFlowOption.Enabled);
                Assert.Equal(3, await outside.Orders.CountAsync());
            }

            if (isCompleted)
            {
                scope.Complete();
            }
        }

        Assert.Equal(0, database.Leased);
        await using var later = database.Open();
        Assert.Equal(isCompleted ? 5 : 3, await later.Orders.CountAsync());
    }

    [Fact]
    public async Task A_pool_that_does_not_enlist_leaves_its_contexts_outside_of_scopes()
    {
        await using var database = await ShopDatabase.CreateAsync(
            server, change: options => options.Enlist = false, source: PoolSource.Factory);
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await using var shop = database.Open();
            Assert.Equal(3, await shop.Orders.ExecuteDeleteAsync());
            Assert.Equal(0, database.Leased);
        }

        await using var later = database.Open();
        Assert.Equal(0, await later.Orders.CountAsync());
    }

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task A_context_keeps_working_after_its_scope(PoolSource source)
    {
        await using var database = await ShopDatabase.CreateAsync(server, source: source);
        await using var shop = database.Open();
        for (var i = 0; i < 3; i++)
        {
            using var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
            shop.Add(new Order { Customer = "Dan" });
            await shop.SaveChangesAsync();
            Assert.Equal(4 + i, await shop.Orders.CountAsync());
            scope.Complete();
        }

        Assert.Equal(0, database.Leased);
        Assert.Equal(6, await shop.Orders.CountAsync());
    }

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task A_context_is_not_used_outside_of_its_scope_before_that_completes(PoolSource source)
    {
        await using var database = await ShopDatabase.CreateAsync(server, source: source);
        await using var shop = database.Open();
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            shop.Add(new Order { Customer = "Dan" });
            await shop.SaveChangesAsync();
            using (new TransactionScope(TransactionScopeOption.RequiresNew, TransactionScopeAsyncFlowOption.Enabled))
            {
                Assert.Equal(3, await shop.Orders.CountAsync());
            }

            using (new TransactionScope(TransactionScopeOption.Suppress, TransactionScopeAsyncFlowOption.Enabled))
            {
                await Assert.ThrowsAsync<InvalidOperationException>(() => shop.Orders.CountAsync());
                Assert.Throws<InvalidOperationException>(() => shop.Orders.Count());
            }

            Assert.Equal(4, await shop.Orders.CountAsync());
            scope.Complete();
        }

        Assert.Equal(4, await shop.Orders.CountAsync());
        Assert.Equal(0, database.Leased);
    }

    [Theory]
    [MemberData(nameof(SourcesTwice))]
    public async Task A_context_does_nothing_in_a_scope_that_was_aborted(PoolSource source, bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1, source: source);
        await using var shop = database.Open();
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            Transaction.Current!.Rollback();
            for (var i = 0; i < 2; i++)
            {
                await Assert.ThrowsAnyAsync<TransactionException>(async () =>
                    _ = isAsync ? await shop.Orders.CountAsync() : shop.Orders.Count());
                Assert.Equal(0, database.Leased);
            }

            shop.Add(new Order { Customer = "Dan" });
            await Assert.ThrowsAnyAsync<Exception>(async () => _ = isAsync ? await shop.SaveChangesAsync() : shop.SaveChanges());
            Assert.Equal(0, database.Leased);
        }

        Assert.Equal(3, await shop.Orders.CountAsync());
        Assert.Equal(ConnectionState.Closed, shop.Database.GetDbConnection().State);
        await shop.SaveChangesAsync();
        Assert.Equal(4, await shop.Orders.CountAsync());
    }

    // A timeout aborts the transaction of a scope in the middle of its work.
    [Theory]
    [MemberData(nameof(SourcesTwice))]
    public async Task A_context_saves_nothing_after_its_scope_was_aborted(PoolSource source, bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1, source: source);
        await using var shop = database.Open();
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            shop.Add(new Order { Customer = "Dan" });
            await shop.SaveChangesAsync();
            Transaction.Current!.Rollback();
            await Assert.ThrowsAnyAsync<TransactionException>(async () =>
                _ = isAsync ? await shop.Orders.CountAsync() : shop.Orders.Count());
            shop.Add(new Order { Customer = "Eve" });
            await Assert.ThrowsAnyAsync<Exception>(async () => _ = isAsync ? await shop.SaveChangesAsync() : shop.SaveChanges());
            Assert.Equal(0, database.Leased);
        }

        Assert.Equal(3, await shop.Orders.CountAsync());
    }

    // Npgsql is in the transaction although it throws NotSupportedException, as a provider does that cannot enlist at all.
    [Fact]
    public async Task A_context_saves_nothing_in_a_scope_with_an_isolation_level_that_its_provider_does_not_support()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        var options = new TransactionOptions { IsolationLevel = System.Transactions.IsolationLevel.Chaos };
        using (new TransactionScope(TransactionScopeOption.Required, options, TransactionScopeAsyncFlowOption.Enabled))
        {
            shop.Add(new Order { Customer = "Dan" });
            await Assert.ThrowsAsync<NotSupportedException>(() => shop.SaveChangesAsync());
            Assert.Equal(0, database.Leased);
        }

        Assert.Equal(3, await shop.Orders.CountAsync());
    }

    // The provider is not asked: Npgsql remembers a transaction that it could not join, and a connection that is closed then
    // keeps its session for it.
    [Fact]
    public async Task A_connection_that_could_not_join_an_aborted_scope_leaves_no_session()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            Transaction.Current!.Rollback();
            await Assert.ThrowsAnyAsync<TransactionException>(() => shop.Orders.CountAsync());
        }

        // The server ends a session some time after it was closed: also those that filled the database.
        await Patience.UntilAsync(
            async () => await shop.Database.SqlQueryRaw<int>(
                "SELECT count(*)::int AS \"Value\" FROM pg_stat_activity " +
                "WHERE datname = current_database() AND backend_type = 'client backend'").SingleAsync(),
            static sessions => sessions == 1,
            "the session of the pool alone");
        Assert.Equal(1, database.Pool.GetStatistics().Created);
    }

    [Fact]
    public async Task A_connection_that_could_not_be_enlisted_in_an_aborted_transaction_leaves_no_session()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        using var aborted = new CommittableTransaction();
        aborted.Rollback();
        await shop.Database.OpenConnectionAsync();
        var backend = await shop.BackendAsync();
        Assert.ThrowsAny<TransactionException>(() => shop.Database.EnlistTransaction(aborted));
        Assert.Equal(3, await shop.Orders.CountAsync());
        await shop.Database.CloseConnectionAsync();
        Assert.Equal(backend, await shop.BackendAsync());
        database.Pool.Clear();

        // The server ends a session some time after it was closed.
        await Patience.UntilAsync(
            async () => await shop.Database.SqlQueryRaw<int>(
                "SELECT count(*)::int AS \"Value\" FROM pg_stat_activity WHERE pid = {0}", backend).SingleAsync(),
            static sessions => sessions == 0,
            "the session to end");
    }

    // Npgsql joins the transaction before it finds that another one is open, and then refuses to leave it.
    [Fact]
    public async Task A_connection_that_could_not_be_enlisted_beside_its_own_transaction_is_not_leased_again()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        using var refused = new CommittableTransaction();
        await using (await shop.Database.BeginTransactionAsync())
        {
            Assert.Throws<InvalidOperationException>(() => shop.Database.EnlistTransaction(refused));
        }

        Assert.Equal(0, database.Leased);
        Assert.Equal(3, await shop.Orders.CountAsync());
        Assert.Equal(2, database.Pool.GetStatistics().Created);
    }

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task A_pooled_context_forgets_the_scope_of_its_last_use(PoolSource source)
    {
        await using var database = await ShopDatabase.CreateAsync(server, source: source);
        var contexts = new PooledDbContextFactory<Shop>(database.Options(), poolSize: 1);
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await using (var first = await contexts.CreateDbContextAsync())
            {
                Assert.Equal(3, await first.Orders.ExecuteDeleteAsync());
            }

            using var suppressed = new TransactionScope(TransactionScopeOption.Suppress, TransactionScopeAsyncFlowOption.Enabled);
            await using var next = await contexts.CreateDbContextAsync();
            Assert.Equal(3, await next.Orders.CountAsync());
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_pooled_context_that_is_returned_open_forgets_the_scope_of_its_last_use(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        var contexts = new PooledDbContextFactory<Shop>(database.Options(), poolSize: 1);
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            var first = await contexts.CreateDbContextAsync();
            await first.Database.OpenConnectionAsync();
            if (isAsync)
            {
                await first.DisposeAsync();
            }
            else
            {
                first.Dispose();
            }

            using var suppressed = new TransactionScope(TransactionScopeOption.Suppress, TransactionScopeAsyncFlowOption.Enabled);
            await using var next = await contexts.CreateDbContextAsync();
            Assert.Equal(3, await next.Orders.CountAsync());
        }
    }

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task A_context_that_was_open_before_the_scope_joins_it(PoolSource source)
    {
        await using var database = await ShopDatabase.CreateAsync(server, source: source);
        await using var shop = database.Open();
        await shop.Database.OpenConnectionAsync();
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await shop.Orders.ExecuteDeleteAsync();
            await shop.Database.CloseConnectionAsync();
            Assert.Equal(1, database.Leased);
        }

        Assert.Equal(0, database.Leased);
        Assert.Equal(3, await shop.Orders.CountAsync());
    }

    // Reset at its close, the connection would leave the second transaction, whose changes would be lost without an error.
    [Theory]
    [MemberData(nameof(Sources))]
    public async Task A_connection_that_is_kept_open_over_two_scopes_stays_in_the_second_one_until_it_completes(PoolSource source)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1, source: source);
        await using var shop = database.Open();
        await shop.Database.OpenConnectionAsync();
        using (var first = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            Assert.Equal(3, await shop.Orders.CountAsync());
            first.Complete();
        }

        using (var second = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await shop.Orders.ExecuteDeleteAsync();
            await shop.Database.CloseConnectionAsync();
            Assert.Equal(1, database.Leased);
            second.Complete();
        }

        Assert.Equal(0, database.Leased);
        Assert.Equal(0, await shop.Orders.CountAsync());
    }

    // Entity Framework enlists the connection that is already open, and reports nothing.
    [Theory]
    [MemberData(nameof(SourcesTwice))]
    public async Task A_connection_that_is_opened_again_in_a_scope_stays_in_it_when_its_context_is_disposed(
        PoolSource source, bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1, source: source);
        var shop = database.Open();
        await shop.Database.OpenConnectionAsync();
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            if (isAsync)
            {
                await shop.Database.OpenConnectionAsync();
                await shop.DisposeAsync();
            }
            else
            {
                shop.Database.OpenConnection();
                shop.Dispose();
            }

            Assert.Equal(1, database.Leased);
            await using var other = database.Open();
            await other.Orders.ExecuteDeleteAsync();
            scope.Complete();
        }

        Assert.Equal(0, database.Leased);
        await using var later = database.Open();
        Assert.Equal(0, await later.Orders.CountAsync());
    }

    // Entity Framework forgets the transaction before it reports that it closes the connection.
    [Theory]
    [MemberData(nameof(SourcesTwice))]
    public async Task A_manually_enlisted_transaction_keeps_the_connection(PoolSource source, bool executes)
    {
        await using var database = await ShopDatabase.CreateAsync(server, source: source);
        await using var shop = database.Open();
        using (var transaction = new CommittableTransaction())
        {
            await shop.Database.OpenConnectionAsync();
            shop.Database.EnlistTransaction(transaction);
            if (executes)
            {
                await shop.Orders.ExecuteDeleteAsync();
            }

            await shop.Database.CloseConnectionAsync();
            Assert.Equal(1, database.Leased);
            transaction.Rollback();
        }

        Assert.Equal(0, database.Leased);
        Assert.Equal(3, await shop.Orders.CountAsync());
    }

    [Theory]
    [MemberData(nameof(SourcesTwice))]
    public async Task A_connection_can_be_closed_after_its_scope_was_completed(PoolSource source, bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1, source: source);
        await using var shop = database.Open();
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await shop.Database.OpenConnectionAsync();
            try
            {
                await shop.Orders.ExecuteDeleteAsync();
                scope.Complete();
            }
            finally
            {
                if (isAsync)
                {
                    await shop.Database.CloseConnectionAsync();
                }
                else
                {
                    shop.Database.CloseConnection();
                }
            }
        }

        Assert.Equal(0, database.Leased);
        Assert.Equal(0, await shop.Orders.CountAsync());
    }

    // The transaction completes, and with it the lease, while the provider is still inside its commit: it disposes its own
    // transaction after that, an object that the connection's next transaction uses again.
    [Theory]
    [InlineData("postgresql")]
    [InlineData("none")]
    public async Task The_next_lease_begins_when_the_provider_has_left_the_completed_transaction(string reset)
    {
        await using var database = await ShopDatabase.CreateAsync(
            server, maxSize: 1, options => options.Reset = reset is "none" ? SessionReset.None : SessionReset.PostgreSql);
        using var isInCommit = new SemaphoreSlim(0);
        using var leavesCommit = new ManualResetEventSlim();
        var committing =
            Task.Factory.StartNew(CommitInScope, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await isInCommit.WaitAsync(TestContext.Current.CancellationToken);
        await using var next = database.Open();
        var opening = next.Database.OpenConnectionAsync(TestContext.Current.CancellationToken);
        if (await Task.WhenAny(
#pragma warning disable RS0030 // How long a connection that is leased too early may take.
            opening, Task.Delay(TimeSpan.FromMilliseconds(300), TestContext.Current.CancellationToken)) == opening)
#pragma warning restore RS0030
        {
            leavesCommit.Set();
            await committing;
            await next.Database.CloseConnectionAsync();
            Assert.Fail("The connection was leased while its last transaction still used it.");
        }

        leavesCommit.Set();
        await committing;
        await opening;
        await using (var transaction = await next.Database.BeginTransactionAsync(TestContext.Current.CancellationToken))
        {
            next.Add(new Order { Customer = "Eve" });
            await next.SaveChangesAsync(TestContext.Current.CancellationToken);
            await transaction.CommitAsync(TestContext.Current.CancellationToken);
        }

        Assert.Equal(5, await next.Orders.CountAsync(TestContext.Current.CancellationToken));
        Assert.Equal(
            reset is "none",
            await next.Database.SqlQueryRaw<bool>("SELECT to_regclass('pg_temp.leftover') IS NOT NULL AS \"Value\"")
                .SingleAsync(TestContext.Current.CancellationToken));
        await next.Database.CloseConnectionAsync();
        Assert.Equal(1, database.Pool.GetStatistics().Created);

        void CommitInScope()
        {
            using var scope = new TransactionScope();
            using var shop = database.Open();
            shop.Add(new Order { Customer = "Dan" });
            shop.SaveChanges();
            shop.Database.ExecuteSqlRaw("CREATE TEMP TABLE leftover ()");
            Transaction.Current!.TransactionCompleted += (_, _) =>
            {
                isInCommit.Release();
                leavesCommit.Wait();
            };
            scope.Complete();
        }
    }

    private static async Task CommitAsync(IDbContextTransaction transaction, bool isAsync)
    {
        if (isAsync)
        {
            await transaction.CommitAsync();
        }
        else
        {
            transaction.Commit();
        }
    }
}
