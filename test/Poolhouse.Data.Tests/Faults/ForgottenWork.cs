using System.Data.Common;
using System.Globalization;
using System.Transactions;
using Npgsql;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>
/// Connections that are closed while something of theirs still runs or is open. The rule: no session is left on the server (I2,
/// I10).
/// </summary>
// Counted at the server, not in the pool: a provider's close that never returns leaves a session that the pool no longer counts.
public sealed class ForgottenWork(PostgresServer server)
{
    private const int Size = 2;
    private const int Rounds = 5;
    private const string Sleep = "SELECT pg_sleep(600)";
    private const string RowsAndSleep =
        "SELECT repeat('x', 8192) FROM generate_series(1, 20) UNION ALL SELECT pg_sleep(600)::text";

    private static readonly Dictionary<string, Func<DbConnection, Task>> _works = new(StringComparer.Ordinal)
    {
        ["a statement that is not awaited"] = connection =>
        {
            Forget(Command(connection, Sleep).ExecuteNonQueryAsync());
            return Task.CompletedTask;
        },
        ["a statement whose command is disposed already"] = connection =>
        {
            using var command = Command(connection, Sleep);
            Forget(command.ExecuteScalarAsync());
            return Task.CompletedTask;
        },
        ["a statement abandoned by WhenAny"] = async connection =>
        {
            await using var command = Command(connection, Sleep);
            var executing = command.ExecuteReaderAsync();
#pragma warning disable RS0030 // The work is a timeout as users write it.
            await Task.WhenAny(executing, Task.Delay(TimeSpan.FromMilliseconds(50), TestContext.Current.CancellationToken));
#pragma warning restore RS0030
            Forget(executing);
        },
        ["a batch that is not awaited"] = connection =>
        {
            var batch = connection.CreateBatch();
            var command = batch.CreateBatchCommand();
            command.CommandText = Sleep;
            batch.BatchCommands.Add(command);
            Forget(batch.ExecuteNonQueryAsync());
            return Task.CompletedTask;
        },
        ["a synchronous statement on another thread"] = connection =>
        {
            var command = Command(connection, Sleep);
            Forget(
                Task.Factory.StartNew(
                    command.ExecuteNonQuery, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));
            if (connection is PooledConnection { Physical: { } physical })
            {
                Assert.True(SpinWait.SpinUntil(() => physical.IsInUse, Patience.Limit));
            }

            return Task.CompletedTask;
        },
        ["an open reader"] = async connection =>
        {
            // Far more than sockets buffer, in rows that are cheap to skip.
            var reader = await Command(connection, "SELECT repeat('x', 8192) FROM generate_series(1, 2000)").ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
        },
        ["an open reader whose result does not end"] = async connection =>
        {
            await using var command = Command(connection, RowsAndSleep);
            var reader = await command.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
        },
        ["an open reader of a batch whose result does not end"] = async connection =>
        {
            var batch = connection.CreateBatch();
            var command = batch.CreateBatchCommand();
            command.CommandText = RowsAndSleep;
            batch.BatchCommands.Add(command);
            var reader = await batch.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
        },
        ["a loop that reads and is not awaited"] = async connection =>
        {
            await using var command = Command(connection, RowsAndSleep);
            Forget(ReadAsync(await command.ExecuteReaderAsync()));
        },
        ["an open COPY"] = async connection =>
        {
            await using var command = Command(connection, "CREATE TEMP TABLE cups (name text)");
            await command.ExecuteNonQueryAsync();
            var importer = await Provider(connection).BeginBinaryImportAsync("COPY cups FROM STDIN (FORMAT BINARY)");
            await importer.StartRowAsync();
            await importer.WriteAsync("espresso");
        },
        ["an open transaction"] = async connection =>
        {
            await connection.BeginTransactionAsync();
            await using var command = Command(connection, "SELECT 1");
            await command.ExecuteNonQueryAsync();
        },
    };

    [Theory]
    [InlineData(nameof(SessionReset.Provider))]
    [InlineData(nameof(SessionReset.PostgreSql))]
    [InlineData(nameof(SessionReset.None))]
    public Task No_session_outlives_its_data_source_and_there_are_never_more_than_MaxSize(string reset) =>
        AssertNoneLeftAsync(_works, (connectionString, work) => LeaveToSourceAsync(connectionString, reset, async source =>
        {
            await using var connection = await source.OpenConnectionAsync();
            await work(connection);
        }));

    // The statement must have begun: Npgsql cancels it itself, at once and only once, when it rolls back, and a request that
    // overtakes its statement has no effect at the server. A scope that is completed under a running statement may block in
    // Npgsql for as long as that runs.
    [Theory]
    [InlineData(nameof(SessionReset.Provider))]
    [InlineData(nameof(SessionReset.PostgreSql))]
    public Task No_session_outlives_a_scope_rolled_back_during_its_statement(string reset) =>
        AssertNoneLeftAsync(
            new Dictionary<string, bool>(StringComparer.Ordinal) { ["closed before"] = true, ["closed after"] = false },
            (connectionString, closesBefore) => LeaveToSourceAsync(connectionString, reset, async source =>
            {
                DbConnection connection;
                using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
                {
                    connection = await source.OpenConnectionAsync();
                    Forget(Command(connection, Sleep).ExecuteNonQueryAsync());
                    await UntilBusyAsync(connection.Unwrap<NpgsqlConnection>().ProcessID);
                    if (closesBefore)
                    {
                        await connection.CloseAsync();
                    }
                }

                await connection.DisposeAsync();
            }));

    [Theory]
    [InlineData(nameof(SessionReset.Provider))]
    [InlineData(nameof(SessionReset.PostgreSql))]
    public Task No_session_outlives_a_pool_of_provider_connections(string reset) =>
        AssertNoneLeftAsync(
            _works.Where(work => work.Key is "an open reader" or "an open COPY" or "an open transaction").ToDictionary(),
            async (connectionString, work) =>
            {
                await using var pool =
                    new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, connectionString, Options(reset));
                for (var i = 0; i < Rounds; i++)
                {
                    using var lease = await pool.RentAsync();
                    await work(lease.Value);
                }

                using var next = await pool.RentAsync();
                await using var command = Command(next.Value, "SELECT 7");
                Assert.Equal(7, await command.ExecuteScalarAsync());
                return pool.GetStatistics().DestroyFailures;
            });

    // What the pool cannot cancel: it does not see the commands of a leased connection, and Npgsql's pool refuses to close a
    // connection that waits for a notification.
    [Theory]
    [InlineData("a statement of a leased connection")]
    [InlineData("a wait for a notification")]
    public async Task Sessions_that_cannot_be_closed_are_limited_and_reported_and_end_with_their_work(string work)
    {
        var administrator = await server.GetConnectionStringAsync();
        await using var watch = new ServerWatch(administrator);
        var sessionName = NewName();
        var connectionString = $"{administrator};Application Name={sessionName}";
        using var ending = new CancellationTokenSource();
        var isLeased = work is "a statement of a leased connection";
        var options = Options(nameof(SessionReset.Provider));
        (options.Pool.DestroyTimeout, options.Pool.OutageTimeout) = (TimeSpan.FromMilliseconds(100), TimeSpan.Zero);
        options.Pool.MaxRetryDelay = options.Pool.RetryDelay = TimeSpan.FromMilliseconds(10);
        await using var pool = new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, connectionString, options);
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, connectionString, options);

        var refusal = await Assert.ThrowsAsync<DbPoolException>(async () =>
        {
            for (var i = 0; i < 5 * Size; i++)
            {
                await LeaveAsync();
            }
        });

        // The caller for whom the creation began gets it unchanged, and a caller that waited gets it as an inner exception.
        var cause = refusal.InnerException as DbPoolException ?? refusal;
        Assert.Contains("connections that were closed are still open", cause.Message, StringComparison.Ordinal);
        Assert.InRange(await watch.CountAsync(sessionName), Size, 2 * Size);

        // A close that was abandoned is counted after its capacity is released.
        await Patience.UntilAsync(
            () => ValueTask.FromResult(DestroyFailures()), failures => failures >= Size, "the failed closes are counted");
        Assert.InRange(DestroyFailures(), Size, 2 * Size);

        if (isLeased)
        {
            await watch.TerminateAsync(sessionName);
        }
        else
        {
            await ending.CancelAsync();
        }

        await Patience.UntilAsync(
            () => watch.CountAsync(sessionName), count => count <= Size, "what could not be closed is closed");
        await Patience.UntilAsync(TryLeaveAsync, served => served, "others are served again");
        await watch.TerminateAsync(sessionName);

        long DestroyFailures() => (isLeased ? pool.GetStatistics() : source.GetStatistics()).DestroyFailures;

        async ValueTask<bool> TryLeaveAsync()
        {
            try
            {
                await LeaveAsync();
                return true;
            }
            catch (OperationCanceledException)
            {
                return true;
            }
            catch (DbPoolException)
            {
                return false;
            }
        }

        async Task LeaveAsync()
        {
            if (isLeased)
            {
                using var lease = await pool.RentAsync();
                Forget(Command(lease.Value, Sleep).ExecuteNonQueryAsync(CancellationToken.None));
            }
            else
            {
                await using var connection = await source.OpenConnectionAsync();
                await using var listen = Command(connection, "LISTEN cups");
                await listen.ExecuteNonQueryAsync();
                Forget(connection.Unwrap<NpgsqlConnection>().WaitAsync(ending.Token));
            }
        }
    }

    private async Task AssertNoneLeftAsync<T>(IReadOnlyDictionary<string, T> works, Func<string, T, Task<long>> leaveAsync)
    {
        var administrator = await server.GetConnectionStringAsync();
        await using var watch = new ServerWatch(administrator);
        var problems = await Task.WhenAll(works.Select(work => Task.Run(() => LookAsync(work.Key, work.Value))));
        Assert.True(problems.All(problem => problem is null), string.Join(Environment.NewLine, problems.OfType<string>()));

        async Task<string?> LookAsync(string name, T work)
        {
            var sessionName = NewName();
            using var ended = new CancellationTokenSource();
            var most = MostAsync(sessionName, ended.Token);
            try
            {
                // Without a timeout of the provider, which would end what the pool should have ended.
                Assert.Equal(0, await leaveAsync($"{administrator};Application Name={sessionName};Command Timeout=0", work));
                GC.Collect();
                GC.WaitForPendingFinalizers();
                await Patience.UntilAsync(
                    () => watch.ListAsync(sessionName), sessions => sessions.Count == 0,
                    "no session after disposal and collection");
                await ended.CancelAsync();
                Assert.InRange(await most, 0, Size + 1);
                return null;
            }
            catch (Exception failure)
            {
                return $"{name}: {failure.Message}";
            }
            finally
            {
                await ended.CancelAsync();
            }
        }

        async Task<long> MostAsync(string sessionName, CancellationToken ended)
        {
            await using var counter = new ServerWatch(administrator);
            var most = 0L;
            while (!ended.IsCancellationRequested)
            {
                most = Math.Max(most, await LeastAsync(counter, sessionName));
                await PauseAsync(100);
            }

            return most;
        }

        // The least of several looks: the server lists a session that the client has closed until its process runs again. One
        // that is still open is in all of them: a statement is not cancelled before 500 ms.
        static async Task<long> LeastAsync(ServerWatch counter, string sessionName)
        {
            var least = await counter.CountAsync(sessionName);
            for (var look = 1; look < 16 && least > Size + 1; look++)
            {
                await PauseAsync(25);
                least = Math.Min(least, await counter.CountAsync(sessionName));
            }

            return least;
        }

#pragma warning disable RS0030 // A pause between two readings of a server.
        static Task PauseAsync(int milliseconds) =>
            Task.Delay(TimeSpan.FromMilliseconds(milliseconds), CancellationToken.None);
#pragma warning restore RS0030
    }

    private async Task UntilBusyAsync(int process)
    {
        using (new TransactionScope(TransactionScopeOption.Suppress, TransactionScopeAsyncFlowOption.Enabled))
        {
            await using var provider =
                NpgsqlDataSource.Create(await server.GetConnectionStringAsync() + ";Pooling=false;Enlist=false");
            await using var busy = provider.CreateCommand(
                "SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND query LIKE '%pg_sleep%' AND wait_event = 'PgSleep'");
            busy.Parameters.Add(new NpgsqlParameter { Value = process });
            await Patience.UntilAsync(
                async () => (long)(await busy.ExecuteScalarAsync())!, count => count == 1, "the statement runs");
        }
    }

    private static async Task<long> LeaveToSourceAsync(
        string connectionString, string reset, Func<PooledDataSource, Task> leaveAsync)
    {
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, connectionString, Options(reset));
        for (var i = 0; i < Rounds; i++)
        {
            await leaveAsync(source);
        }

        await using var next = await source.OpenConnectionAsync();
        await using var command = Command(next, "SELECT 7");
        Assert.Equal(7, await command.ExecuteScalarAsync());
        return source.GetStatistics().DestroyFailures;
    }

    private static string NewName() => string.Create(CultureInfo.InvariantCulture, $"forgotten-{Guid.NewGuid():N}");

    private static DbPoolOptions Options(string reset)
    {
        // The pool waits longer and longer between its cancellations, one of which may come before its statement.
        var options = new DbPoolOptions
        {
            Pool = { DestroyTimeout = Patience.Limit },
            Reset = reset switch
            {
                nameof(SessionReset.Provider) => SessionReset.Provider,
                nameof(SessionReset.None) => SessionReset.None,
                _ => SessionReset.PostgreSql,
            },
        };
        options.Pool.MaxSize = Size;
        return options;
    }

    private static NpgsqlConnection Provider(DbConnection connection) =>
        connection as NpgsqlConnection ?? connection.Unwrap<NpgsqlConnection>();

    private static async Task ReadAsync(DbDataReader reader)
    {
        while (await reader.ReadAsync())
        {
        }
    }

    private static DbCommand Command(DbConnection connection, string text)
    {
        var command = connection.CreateCommand();
        command.CommandText = text;
        return command;
    }

    // Its failure is expected, and no unobserved exception.
    private static void Forget(Task task) =>
        _ = task.ContinueWith(
            static ended => _ = ended.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
}
