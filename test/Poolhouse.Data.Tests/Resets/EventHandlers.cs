using System.Data;
using System.Data.Common;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Resets;

/// <summary>
/// Promises I9 and I21: a caller that obtained the provider's connection gets no events of its next user and cannot reach it,
/// neither by an event handler nor by the object.
/// </summary>
public sealed class EventHandlers(PostgresServer server)
{
    private const string RaiseNotice = "DO $$ BEGIN RAISE NOTICE 'secret'; END $$";
    private const string SendNotification = "LISTEN gossip; NOTIFY gossip, 'secret'";
    private const string CommandWithText = "command with text";

    public static TheoryData<string, bool> Ways => new(
        from way in new[] { "connection", "command", CommandWithText, "transaction", "batch" }
        from hasPoolOfOne in new[] { true, false }
        select (way, hasPoolOfOne));

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task An_unwrapped_connection_gets_no_events_of_the_next_user_and_cannot_reach_it(string way, bool hasPoolOfOne)
    {
        await using var provider = NpgsqlDataSource.Create(await server.GetConnectionStringAsync() + ";Pooling=false");
        await using var source = hasPoolOfOne
            ? PooledDataSource.Create(NpgsqlFactory.Instance, await server.GetConnectionStringAsync(), One())
            : PooledDataSource.Create(provider, One());
        var heard = new List<string>();
        NpgsqlConnection kept;
        int first;
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            kept = await UnwrapAsync(connection, way);
            first = kept.ProcessID;
            kept.Notice += (_, notice) => heard.Add(notice.Notice.MessageText);
            kept.Notification += (_, notification) => heard.Add(notification.Payload);

            // After plain statements only, the reset of the provider runs when the connection is closed.
            if (way is not CommandWithText)
            {
                await ExecuteAsync(connection, RaiseNotice);
                Assert.Equal(["secret"], heard);
                heard.Clear();
            }
        }

        await using (var next = await source.OpenConnectionAsync(Token))
        {
            await ExecuteAsync(next, RaiseNotice);
            await ExecuteAsync(next, SendNotification);
            Assert.Empty(heard);
            await Assert.ThrowsAnyAsync<InvalidOperationException>(() => ExecuteAsync(kept, "SELECT 1"));
            await Assert.ThrowsAnyAsync<InvalidOperationException>(() => kept.OpenAsync(Token));

            // The session itself is kept if the provider returns another object for it.
            Assert.Equal(hasPoolOfOne, first == (int)(await ScalarAsync(next, "SELECT pg_backend_pid()"))!);
        }
    }

    [Fact]
    public async Task A_StateChange_handler_gets_no_events_of_the_next_user()
    {
        using var file = new SqliteFile();
        await using var provider = SqliteFactory.Instance.CreateDataSource(file.ConnectionString);
        await using var source = PooledDataSource.Create(provider, One());
        SqliteConnection kept;
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            kept = connection.Unwrap<SqliteConnection>();
        }

        await using var next = await source.OpenConnectionAsync(Token);
        Assert.NotSame(kept, next.Unwrap<SqliteConnection>());
    }

    [Theory]
    [InlineData("Notice")]
    [InlineData("Notification")]
    [InlineData("StateChange")]
    public async Task A_lease_that_leaves_a_handler_attached_destroys_its_connection(string name)
    {
        await using var pool = NewPool(await server.GetConnectionStringAsync());
        var heard = new List<string>();
        NpgsqlConnection first;
        await using (var lease = await pool.RentAsync(Token))
        {
            first = lease.Value;
            Handler(name, heard)(first, true);
        }

        await using (var lease = await pool.RentAsync(Token))
        {
            Assert.NotSame(first, lease.Value);
            heard.Clear();
            await ExecuteAsync(lease.Value, RaiseNotice);
            await ExecuteAsync(lease.Value, SendNotification);
            Assert.Empty(heard);
        }
    }

    [Theory]
    [InlineData("Notice")]
    [InlineData("Notification")]
    [InlineData("StateChange")]
    public async Task A_lease_that_removes_its_handlers_keeps_its_connection(string name)
    {
        await using var pool = NewPool(await server.GetConnectionStringAsync());
        NpgsqlConnection first;
        await using (var lease = await pool.RentAsync(Token))
        {
            first = lease.Value;
            var handle = Handler(name, []);
            handle(first, true);
            handle(first, false);
        }

        await using (var lease = await pool.RentAsync(Token))
        {
            Assert.Same(first, lease.Value);
        }
    }

    // An application may log the notices of all connections by a handler that it adds to each.
    [Fact]
    public async Task A_handler_that_the_connection_was_created_with_stays()
    {
        var connectionString = await server.GetConnectionStringAsync() + ";Pooling=false";
        var heard = new List<string>();
        await using var pool = DbConnectionPool.Create<NpgsqlConnection>(
            () =>
            {
                var connection = new NpgsqlConnection(connectionString);
                connection.Notice += (_, notice) => heard.Add(notice.Notice.MessageText);
                return connection;
            },
            One());
        for (var i = 0; i < 2; i++)
        {
            await using var lease = await pool.RentAsync(Token);
            await ExecuteAsync(lease.Value, RaiseNotice);
        }

        Assert.Equal(["secret", "secret"], heard);
        Assert.Equal(1, pool.GetStatistics().Created);
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static Action<NpgsqlConnection, bool> Handler(string name, List<string> heard)
    {
        StateChangeEventHandler onStateChange = (_, _) => heard.Add(name);
        NoticeEventHandler onNotice = (_, _) => heard.Add(name);
        NotificationEventHandler onNotification = (_, _) => heard.Add(name);
        return (connection, adds) =>
        {
            switch (name, adds)
            {
                case ("Notice", true):
                    connection.Notice += onNotice;
                    break;
                case ("Notice", false):
                    connection.Notice -= onNotice;
                    break;
                case ("Notification", true):
                    connection.Notification += onNotification;
                    break;
                case ("Notification", false):
                    connection.Notification -= onNotification;
                    break;
                case (_, true):
                    connection.StateChange += onStateChange;
                    break;
                default:
                    connection.StateChange -= onStateChange;
                    break;
            }
        };
    }

    private static async Task<NpgsqlConnection> UnwrapAsync(DbConnection connection, string way)
    {
        switch (way)
        {
            case "connection":
                return connection.Unwrap<NpgsqlConnection>();
            case "command":
                await using (var command = connection.CreateCommand())
                {
                    return command.Unwrap<NpgsqlCommand>().Connection!;
                }

            case CommandWithText:
                await using (var command = connection.CreateCommand())
                {
                    command.CommandText = "SELECT 1";
                    return command.Unwrap<NpgsqlCommand>().Connection!;
                }

            case "batch":
                await using (var batch = connection.CreateBatch())
                {
                    return batch.Unwrap<NpgsqlBatch>().Connection!;
                }

            default:
                await using (var transaction = await connection.BeginTransactionAsync(Token))
                {
                    return transaction.Unwrap<NpgsqlTransaction>().Connection!;
                }
        }
    }

    private static DbPoolOptions One() => new() { Pool = new ResourcePoolOptions { MaxSize = 1 } };

    private static DbConnectionPool<NpgsqlConnection> NewPool(string connectionString) =>
        DbConnectionPool.Create(() => new NpgsqlConnection(connectionString + ";Pooling=false"), One());

    private static async Task ExecuteAsync(DbConnection connection, string sql) => await ScalarAsync(connection, sql);

    private static async Task<object?> ScalarAsync(DbConnection connection, string sql)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        return await command.ExecuteScalarAsync(Token);
    }
}
