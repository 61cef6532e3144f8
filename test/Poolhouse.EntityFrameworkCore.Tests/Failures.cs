using System.Data;
using System.Data.Common;
using System.Globalization;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Storage;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

public sealed class Failures(PostgresServer server)
{
    [Fact]
    public async Task A_failed_statement_keeps_its_connection()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        var backend = await shop.BackendAsync();

        await Assert.ThrowsAsync<PostgresException>(() => shop.Database.ExecuteSqlRawAsync("SELECT 1 / 0"));
        Assert.Throws<PostgresException>(() => shop.Database.ExecuteSqlRaw("SELECT 1 / 0"));
        shop.Add(new Order { Id = 1, Customer = "again" });
        await Assert.ThrowsAsync<DbUpdateException>(() => shop.SaveChangesAsync());

        Assert.Equal(0, database.Leased);
        Assert.Equal(backend, await shop.BackendAsync());
    }

    [Fact]
    public async Task A_connection_whose_command_was_cancelled_is_not_reused()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        var backend = await shop.BackendAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => shop.SleepUntilCancelledAsync());

        Assert.Equal(0, database.Leased);
        Assert.NotEqual(backend, await shop.BackendAsync());
    }

    [Fact]
    public async Task A_lost_connection_causes_one_error_and_is_replaced()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        await shop.Database.OpenConnectionAsync();
        var backend = await shop.BackendAsync();
        await database.TerminateAsync(backend);

        await Assert.ThrowsAnyAsync<InvalidOperationException>(() => shop.Orders.CountAsync());
        await shop.Database.CloseConnectionAsync();

        Assert.Equal(0, database.Leased);
        Assert.NotEqual(backend, await shop.BackendAsync());
        Assert.Equal(0, database.Leased);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_connection_lost_during_a_query_is_returned(bool isInTransaction)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        var transaction = isInTransaction ? await shop.Database.BeginTransactionAsync() : null;

        await Assert.ThrowsAnyAsync<Exception>(async () =>
        {
            await foreach (var row in shop.Database.SqlQueryRaw<string>(
                "SELECT pg_backend_pid() || repeat('x', 10000) AS \"Value\" FROM generate_series(1, 100000)").AsAsyncEnumerable())
            {
                await database.TerminateAsync(int.Parse(row.Split('x')[0], CultureInfo.InvariantCulture));
            }
        });

        await (transaction?.DisposeAsync() ?? default);
        Assert.Equal(0, database.Leased);
        Assert.Equal(3, await shop.Orders.CountAsync());
    }

    // The application's own command shows that the connection is lost, and the context only gets the event of its state.
    [Theory]
    [InlineData("NonQuery", true)]
    [InlineData("NonQuery", false)]
    [InlineData("Scalar", true)]
    [InlineData("Scalar", false)]
    public async Task A_connection_lost_after_a_statement_is_returned(string statement, bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        await shop.Database.OpenConnectionAsync();
        var backend = await shop.BackendAsync();
        var command = shop.GetService<IRawSqlCommandBuilder>().Build("SELECT 1");
        var parameters = new RelationalCommandParameterObject(
            shop.GetService<IRelationalConnection>(), parameterValues: null, readerColumns: null, shop,
            shop.GetService<IRelationalCommandDiagnosticsLogger>());
        _ = (statement, isAsync) switch
        {
            ("NonQuery", true) => await command.ExecuteNonQueryAsync(parameters),
            ("NonQuery", false) => command.ExecuteNonQuery(parameters),
            (_, true) => await command.ExecuteScalarAsync(parameters),
            _ => command.ExecuteScalar(parameters),
        };
        await database.TerminateAsync(backend);

        await using var own = shop.Database.GetDbConnection().CreateCommand();
        own.CommandText = "SELECT 1";
        await Assert.ThrowsAnyAsync<DbException>(() => own.ExecuteScalarAsync());
        await shop.Database.CloseConnectionAsync();

        Assert.Equal(0, database.Leased);
        Assert.Equal(3, await shop.Orders.CountAsync());
    }

    [Fact]
    public async Task A_connection_that_the_application_closed_and_opened_again_is_explained()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        await shop.Database.OpenConnectionAsync();
        var rented = shop.Database.GetDbConnection();
        await rented.CloseAsync();
        await rented.OpenAsync();

        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => shop.Orders.CountAsync());

        Assert.Contains("SetDbConnection", failure.Message, StringComparison.Ordinal);
        await rented.CloseAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_context_that_lost_its_connection_can_tell_when_the_server_is_back(bool isOpen)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1, NeverValidate);
        await using var shop = database.Open();
        await NoticeLossAsync(database, shop, isOpen);
        await Patience.UntilAsync(
            () => ValueTask.FromResult(database.Pool.GetStatistics().Live), static live => live == 0, "its destruction");

        Assert.True(await shop.Database.CanConnectAsync());
        Assert.True(shop.Database.CanConnect());
        Assert.False(await shop.Database.EnsureCreatedAsync());
        Assert.Equal(3, await shop.Orders.CountAsync());
        await shop.Database.CloseConnectionAsync();
        Assert.Equal(0, database.Leased);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_context_that_lost_its_connection_shows_its_own(bool isOpen)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1, NeverValidate);
        await using var shop = database.Open();
        var (own, text) = (shop.Database.GetDbConnection(), shop.Database.GetConnectionString());
        await NoticeLossAsync(database, shop, isOpen);

        Assert.Equal(text, shop.Database.GetConnectionString());
        Assert.Same(own, shop.Database.GetDbConnection());
        Assert.Equal(3, await shop.Orders.CountAsync());
        await shop.Database.CloseConnectionAsync();
        Assert.Equal(0, database.Leased);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_connection_that_is_set_after_a_loss_is_kept(bool isOpen)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1, NeverValidate);
        await using var mine = new NpgsqlConnection(database.Unpooled);
        await using var shop = database.Open();
        await NoticeLossAsync(database, shop, isOpen);

        shop.Database.SetDbConnection(mine);

        Assert.Same(mine, shop.Database.GetDbConnection());
        await using var transaction = await shop.Database.BeginTransactionAsync();
        Assert.True(await shop.Database.CanConnectAsync());
        Assert.Same(mine, shop.Database.GetDbConnection());
        Assert.Equal(3, await shop.Orders.CountAsync());
        await transaction.CommitAsync();
        Assert.Equal(0, database.Leased);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_connection_string_that_is_set_after_a_loss_is_kept(bool isOpen)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1, NeverValidate);
        await using var shop = database.Open();
        await NoticeLossAsync(database, shop, isOpen);
        var changed = database.Unpooled + ";Application Name=other";

        shop.Database.SetConnectionString(changed);

        Assert.True(await shop.Database.CanConnectAsync());
        Assert.Equal(changed, shop.Database.GetConnectionString());
        Assert.Equal(3, await shop.Orders.CountAsync());
        await shop.Database.CloseConnectionAsync();
        Assert.Equal((changed, 0), (shop.Database.GetConnectionString(), database.Leased));
    }

    [Fact]
    public async Task A_transaction_that_lost_its_connection_has_ended()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        await using (var transaction = await shop.Database.BeginTransactionAsync())
        {
            await shop.Orders.ExecuteDeleteAsync();
            await database.TerminateAsync(await shop.BackendAsync());
            await Assert.ThrowsAnyAsync<Exception>(() => transaction.CommitAsync());
        }

        Assert.Equal(0, database.Leased);
        Assert.Equal(3, await shop.Orders.CountAsync());
    }

    [Fact]
    public async Task An_open_context_that_lost_its_connection_gets_another_with_the_next_query()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        await shop.Database.OpenConnectionAsync();
        await database.TerminateAsync(await shop.BackendAsync());
        await Assert.ThrowsAnyAsync<InvalidOperationException>(() => shop.Orders.CountAsync());

        Assert.Equal(3, await shop.Orders.CountAsync());
    }

    [Fact]
    public async Task A_retrying_strategy_survives_a_lost_connection()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open(provider => provider.EnableRetryOnFailure());
        var backend = await shop.BackendAsync();
        await database.TerminateAsync(backend);

        Assert.Equal(3, await shop.Orders.CountAsync());
        Assert.NotEqual(backend, await shop.BackendAsync());
    }

    // Entity Framework creates the command of a statement before it opens the connection, and that of a query after it.
    [Theory]
    [InlineData("ExecuteSql", true)]
    [InlineData("ExecuteSql", false)]
    [InlineData("ExecuteDelete", true)]
    [InlineData("ExecuteDelete", false)]
    public async Task A_retrying_strategy_repeats_statements_after_one_lost_its_connection(string statement, bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open(provider => provider.EnableRetryOnFailure());
        var attempts = 0;

        await shop.Database.CreateExecutionStrategy().ExecuteAsync(async () =>
        {
            if (attempts++ == 0)
            {
                await LoseConnectionAsync(shop, isAsync);
            }

            await ExecuteAsync(shop, statement, isAsync);
        });

        Assert.Equal((2, 0), (attempts, database.Leased));
        Assert.Equal(statement is "ExecuteDelete" ? 0 : 3, await shop.Orders.CountAsync());
    }

    [Theory]
    [InlineData("ExecuteSql", true)]
    [InlineData("ExecuteSql", false)]
    [InlineData("ExecuteDelete", true)]
    [InlineData("ExecuteDelete", false)]
    public async Task A_statement_works_after_another_one_lost_its_connection(string statement, bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open();
        await Assert.ThrowsAnyAsync<DbException>(() => LoseConnectionAsync(shop, isAsync));

        await ExecuteAsync(shop, statement, isAsync);

        Assert.Equal(0, database.Leased);
        Assert.Equal(statement is "ExecuteDelete" ? 0 : 3, await shop.Orders.CountAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Without_a_connection_in_time_the_caller_gets_an_exception_of_the_pool(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(
            server, maxSize: 1, options => SetRentTimeout(options, TimeSpan.FromMilliseconds(50)));
        await database.Pool.WarmUpAsync(1);
        await using var holder = database.Open();
        await holder.Database.OpenConnectionAsync();
        await using var shop = database.Open();

        var failure = isAsync
            ? await Assert.ThrowsAsync<DbPoolException>(() => shop.Orders.CountAsync())
            : Assert.Throws<DbPoolException>(() => shop.Orders.Count());

        Assert.True(failure.IsTransient);
        Assert.Equal(ConnectionState.Closed, shop.Database.GetDbConnection().State);
    }

    [Fact]
    public async Task A_retrying_strategy_waits_for_the_pool()
    {
        await using var database = await ShopDatabase.CreateAsync(
            server, maxSize: 1, options => SetRentTimeout(options, TimeSpan.FromMilliseconds(20)));
        await database.Pool.WarmUpAsync(1);
        await using var holder = database.Open();
        await holder.Database.OpenConnectionAsync();
        var signal = new RefusalSignal();
        await using var shop = database.Open(provider => provider.EnableRetryOnFailure(), signal);
        var count = shop.Orders.CountAsync();

        await signal.Refused;
        await holder.Database.CloseConnectionAsync();

        Assert.Equal(3, await count);
        Assert.IsType<DbPoolException>(await signal.Refused);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_retrying_strategy_waits_for_the_pool_when_it_verifies_an_operation(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(
            server, maxSize: 1, options => SetRentTimeout(options, TimeSpan.FromMilliseconds(20)));
        await database.Pool.WarmUpAsync(1);
        await using var holder = database.Open();
        await holder.Database.OpenConnectionAsync();
        var signal = new RefusalSignal();
        await using var shop = database.Open(provider => provider.EnableRetryOnFailure(), signal);
        var strategy = shop.Database.CreateExecutionStrategy();
        var attempts = 0;
        var operation = isAsync
            ? strategy.ExecuteAsync(
                0,
                (_, _, _) => Task.FromResult(Attempt()),
                async (_, _, token) => Result(await shop.Orders.CountAsync(token)),
                CancellationToken.None)
            : Task.Factory.StartNew(
                () => strategy.Execute(0, (_, _) => Attempt(), (_, _) => Result(shop.Orders.Count())),
                CancellationToken.None,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default);

        await Task.WhenAny(signal.Refused, operation);
        await holder.Database.CloseConnectionAsync();

        Assert.Equal(3, await operation);
        Assert.Equal(1, attempts);
        Assert.IsType<DbPoolException>(await signal.Refused);

        int Attempt() => ++attempts > 0 ? throw new TimeoutException() : 0;

        static ExecutionResult<int> Result(int count) => new(successful: true, count);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_strategy_that_gives_up_includes_the_exception_of_the_pool(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(
            server, maxSize: 1, options => SetRentTimeout(options, TimeSpan.FromMilliseconds(10)));
        await database.Pool.WarmUpAsync(1);
        await using var holder = database.Open();
        await holder.Database.OpenConnectionAsync();
        await using var shop = database.Open(provider => provider.EnableRetryOnFailure(1));

        var failure = isAsync
            ? await Assert.ThrowsAsync<RetryLimitExceededException>(() => shop.Orders.CountAsync())
            : Assert.Throws<RetryLimitExceededException>(() => shop.Orders.Count());

        Assert.IsType<DbPoolException>(failure.InnerException);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_retrying_strategy_does_not_repeat_what_failed_permanently_on_all_hosts(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open(provider => provider.EnableRetryOnFailure());
        var strategy = shop.Database.CreateExecutionStrategy();
        await using var first = NpgsqlDataSource.Create(database.Unpooled + ";Database=nowhere");
        await using var second = NpgsqlDataSource.Create(database.Unpooled + ";Database=nowhere");
        await using var source = PooledDataSource.Create([first, second]);
        var attempts = 0;

        var failure = isAsync
            ? await Assert.ThrowsAsync<DbPoolException>(() => strategy.ExecuteAsync(async () =>
            {
                attempts++;
                await source.OpenConnectionAsync();
            }))
            : Assert.Throws<DbPoolException>(() => strategy.Execute(() =>
            {
                attempts++;
                source.OpenConnection();
            }));

        Assert.Equal((1, 2, false), (attempts, failure.Failures.Count, failure.IsTransient));
    }

    [Fact]
    public async Task A_caller_that_stops_waiting_holds_no_connection()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var holder = database.Open();
        await holder.Database.OpenConnectionAsync();
        await using var shop = database.Open();
        using var cancel = new CancellationTokenSource();
        var count = shop.Orders.CountAsync(cancel.Token);

        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => count);

        Assert.Equal(1, database.Leased);
        await holder.Database.CloseConnectionAsync();
        Assert.Equal(3, await shop.Orders.CountAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_connection_rejected_by_an_interceptor_is_returned(bool isAsync)
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using var shop = database.Open(provider: null, new RefusingInterceptor());

        if (isAsync)
        {
            await Assert.ThrowsAsync<NotSupportedException>(() => shop.Orders.CountAsync());
        }
        else
        {
            Assert.Throws<NotSupportedException>(() => shop.Orders.Count());
        }

        Assert.Equal(0, database.Leased);
    }

    [Fact]
    public async Task A_commit_that_fails_returns_the_connection()
    {
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 1);
        await using (var shop = database.Open())
        {
            await shop.Database.ExecuteSqlRawAsync("CREATE TABLE later(id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
            await using var transaction = await shop.Database.BeginTransactionAsync();
            await shop.Database.ExecuteSqlRawAsync("INSERT INTO later VALUES (1), (1)");
            await Assert.ThrowsAsync<PostgresException>(() => transaction.CommitAsync());
        }

        Assert.Equal(0, database.Leased);
    }

    [Fact]
    public async Task A_server_that_shuts_down_ages_out_the_other_connections()
    {
        await using var database =
            await ShopDatabase.CreateAsync(server, maxSize: 2, options => options.FatalErrorSpread = TimeSpan.Zero);
        await using var first = database.Open();
        await using var second = database.Open();
        await first.Database.OpenConnectionAsync();
        await second.Database.OpenConnectionAsync();
        var healthy = await second.BackendAsync();
        await database.TerminateAsync(await first.BackendAsync());

        await Assert.ThrowsAnyAsync<InvalidOperationException>(() => first.Orders.CountAsync());
        await second.Database.CloseConnectionAsync();
        await first.Database.CloseConnectionAsync();

        Assert.NotEqual(healthy, await second.BackendAsync());
    }

    // The server ends the session during the statement: a session that has ended before is noticed when it is rented.
    private static async Task LoseConnectionAsync(Shop shop, bool isAsync)
    {
        const string EndOfSession = "SELECT pg_terminate_backend(pg_backend_pid())";
        _ = isAsync ? await shop.Database.ExecuteSqlRawAsync(EndOfSession) : shop.Database.ExecuteSqlRaw(EndOfSession);
    }

    /// <summary>Ends the server's side of the context's connection, and has the context find out.</summary>
    private static async Task NoticeLossAsync(ShopDatabase database, Shop shop, bool isOpen)
    {
        if (isOpen)
        {
            await shop.Database.OpenConnectionAsync();
        }

        var backend = await shop.BackendAsync();

        // A session that ends while it is reset is replaced, and nobody notices.
        await Patience.UntilAsync(
            () => ValueTask.FromResult(database.Pool.GetStatistics().Resetting), static count => count == 0,
            "the end of the reset");
        await database.TerminateAsync(backend);
        await Assert.ThrowsAnyAsync<InvalidOperationException>(() => shop.Orders.CountAsync());
    }

    // On a busy machine, ending the session may take the second after which an idle connection is validated, and replaced.
    private static void NeverValidate(DbPoolOptions options) => options.Pool.ValidateAfterIdle = Timeout.InfiniteTimeSpan;

    private static async Task ExecuteAsync(Shop shop, string statement, bool isAsync) => _ = (statement, isAsync) switch
    {
        ("ExecuteSql", true) => await shop.Database.ExecuteSqlRawAsync("SELECT 1"),
        ("ExecuteSql", false) => shop.Database.ExecuteSqlRaw("SELECT 1"),
        (_, true) => await shop.Orders.ExecuteDeleteAsync(),
        _ => shop.Orders.ExecuteDelete(),
    };

    // The time of a validation, of a connection that has been idle for a second, would count against this timeout.
    private static void SetRentTimeout(DbPoolOptions options, TimeSpan timeout) =>
        (options.Pool.RentTimeout, options.Pool.ValidateAfterIdle) = (timeout, Timeout.InfiniteTimeSpan);

    private sealed class RefusingInterceptor : DbConnectionInterceptor
    {
        public override void ConnectionOpened(DbConnection connection, ConnectionEndEventData eventData) =>
            throw new NotSupportedException();

        public override Task ConnectionOpenedAsync(
            DbConnection connection, ConnectionEndEventData eventData, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();
    }

    private sealed class RefusalSignal : DbConnectionInterceptor
    {
        private readonly TaskCompletionSource<Exception> _refused = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task<Exception> Refused => _refused.Task;

        public override void ConnectionFailed(DbConnection connection, ConnectionErrorEventData eventData) =>
            _refused.TrySetResult(eventData.Exception);

        public override Task ConnectionFailedAsync(
            DbConnection connection, ConnectionErrorEventData eventData, CancellationToken cancellationToken = default)
        {
            _refused.TrySetResult(eventData.Exception);
            return Task.CompletedTask;
        }
    }
}
