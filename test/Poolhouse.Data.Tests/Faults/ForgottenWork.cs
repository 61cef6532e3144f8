using System.Data.Common;
using System.Globalization;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Connections that are closed while something of theirs still runs or is open. The rule: no session is left on the server (I2, I10).</summary>
// Counted at the server, not in the pool: a provider's close that never returns leaves a session that the pool no longer counts.
public sealed class ForgottenWork(PostgresServer server)
{
    private const int Size = 2;
    private const int Rounds = 6;
    private const string Sleep = "SELECT pg_sleep(600)";

    private static readonly Dictionary<string, Func<DbConnection, Task>> _leave = new(StringComparer.Ordinal)
    {
        ["a statement that nobody awaits"] = connection =>
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
        ["a statement given up by WhenAny"] = async connection =>
        {
            await using var command = Command(connection, Sleep);
            var executing = command.ExecuteReaderAsync();
            await Task.WhenAny(executing, Task.CompletedTask);
            Forget(executing);
        },
        ["a batch that nobody awaits"] = connection =>
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
            Forget(Task.Factory.StartNew(command.ExecuteNonQuery, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));
            var physical = ((PooledConnection)connection).Physical!;
            SpinWait.SpinUntil(() => physical.IsInUse);
            return Task.CompletedTask;
        },
        ["an open reader"] = async connection =>
        {
            var reader = await Command(connection, "SELECT generate_series(1, 1000000)").ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
        },
        ["an open COPY"] = async connection =>
        {
            await using var command = Command(connection, "CREATE TEMP TABLE cups (name text)");
            await command.ExecuteNonQueryAsync();
            var importer = await connection.Unwrap<NpgsqlConnection>().BeginBinaryImportAsync("COPY cups FROM STDIN (FORMAT BINARY)");
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

    public static TheoryData<string, bool> Cases()
    {
        var cases = new TheoryData<string, bool>();
        foreach (var work in _leave.Keys)
        {
            cases.Add(work, true);
            cases.Add(work, false);
        }

        return cases;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task No_session_outlives_its_pool_and_there_are_never_more_than_MaxSize(string work, bool providersReset)
    {
        var administrator = await server.GetConnectionStringAsync();
        await using var watch = new ServerWatch(administrator);
        var sessionName = string.Create(CultureInfo.InvariantCulture, $"forgotten-{Guid.NewGuid():N}");
        var options = new DbPoolOptions { Reset = providersReset ? SessionReset.Provider : SessionReset.PostgreSql };
        options.Pool.MaxSize = Size;
        await using (var source = PooledDataSource.Create(NpgsqlFactory.Instance, $"{administrator};Application Name={sessionName}", options))
        {
            for (var i = 0; i < Rounds; i++)
            {
                var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
                await _leave[work](connection);
                await connection.DisposeAsync();
            }

            // The last ones may be on their way out: those are waited for, the others would sleep for ten minutes.
            await Patience.UntilAsync(() => watch.CountAsync(sessionName), count => count <= Size, "no more sessions than MaxSize");
            await using var next = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
            await using var command = Command(next, "SELECT 7");
            Assert.Equal(7, await command.ExecuteScalarAsync(TestContext.Current.CancellationToken));
            await Patience.UntilAsync(() => watch.CountBusyAsync(sessionName), count => count == 0, "no statement runs that nobody waits for");
            Assert.Equal(0, source.GetStatistics().DestroyFailures);
        }

        await Patience.UntilAsync(() => watch.ListAsync(sessionName), sessions => sessions.Count == 0, "no session after the disposal");
    }

    private static DbCommand Command(DbConnection connection, string text)
    {
        var command = connection.CreateCommand();
#pragma warning disable CA2100 // The texts are the tests' own.
        command.CommandText = text;
#pragma warning restore CA2100
        return command;
    }

    // What becomes of forgotten work is nobody's business, and no unobserved exception.
    private static void Forget(Task task) =>
        _ = task.ContinueWith(static ended => _ = ended.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
}
