using System.Data;

namespace Poolhouse.Data.Tests.Differential;

internal static class TransactionScripts
{
    public static IReadOnlyDictionary<string, Func<CallRecorder, Task>> All { get; } =
        new Dictionary<string, Func<CallRecorder, Task>>(StringComparer.Ordinal)
        {
            ["commit and rollback"] = EndsAsync,
            ["savepoints"] = SavepointsAsync,
            ["use after the end"] = AfterEndAsync,
            ["left open"] = LeftOpenAsync,
            ["commands have their transaction"] = CommandsAsync,
        };

    private static async Task EndsAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await access.ExecuteAsync(connection, "CREATE TEMPORARY TABLE w (a INTEGER)");
        foreach (var commits in new[] { true, false })
        {
            await using var transaction = await access.BeginAsync(connection);
            access.Note("level", transaction.IsolationLevel.ToString());
            access.Note("connection", ReferenceEquals(transaction.Connection, connection));
            await access.ExecuteAsync(connection, "INSERT INTO w VALUES (1)", transaction);
            await (commits ? access.CommitAsync(transaction) : access.RollbackAsync(transaction));
            access.Note("count", await access.ScalarAsync(connection, "SELECT count(*) FROM w"));
        }

        await using (var disposed = await access.BeginAsync(connection))
        {
            await access.ExecuteAsync(connection, "INSERT INTO w VALUES (1)", disposed);
        }

        access.Note("count", await access.ScalarAsync(connection, "SELECT count(*) FROM w"));
    }

    private static async Task SavepointsAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var transaction = await access.BeginAsync(connection);
        access.Note("supported", transaction.SupportsSavepoints);
        await access.ExecuteAsync(connection, "CREATE TEMPORARY TABLE x (a INTEGER)", transaction);
        await (access.IsAsync ? transaction.SaveAsync("one") : Task.Run(() => transaction.Save("one")));
        await access.ExecuteAsync(connection, "INSERT INTO x VALUES (1)", transaction);
        await (access.IsAsync ? transaction.RollbackAsync("one") : Task.Run(() => transaction.Rollback("one")));
        await (access.IsAsync ? transaction.ReleaseAsync("one") : Task.Run(() => transaction.Release("one")));
        access.Note("count", await access.ScalarAsync(connection, "SELECT count(*) FROM x", transaction));
        await access.TryAsync(
            "no such savepoint",
            () => access.IsAsync ? transaction.RollbackAsync("two") : Task.Run(() => transaction.Rollback("two")));
        await access.RollbackAsync(transaction);
    }

    private static async Task AfterEndAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        var transaction = await access.BeginAsync(connection);
        await access.CommitAsync(transaction);
        await access.TryAsync("commit", () => access.CommitAsync(transaction));
        await access.TryAsync("rollback", () => access.RollbackAsync(transaction));
        await access.DisposeAsync(transaction);
        await access.DisposeAsync(transaction);
        await access.TryAsync("commit again", () => access.CommitAsync(transaction));
        await access.TryAsync("begin", async () =>
        {
            await using var first = await access.BeginAsync(connection);
            await using var second = await access.BeginAsync(connection);
        });
        access.Note("goes on", await access.ScalarAsync(connection, "SELECT 1"));
    }

    private static async Task LeftOpenAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await access.ExecuteAsync(connection, "DROP TABLE IF EXISTS y_left");
        var transaction = await access.BeginAsync(connection);
        await access.ExecuteAsync(connection, "CREATE TABLE y_left (a INTEGER)", transaction);
        await access.CloseAsync(connection);
        await access.TryAsync("commit", () => access.CommitAsync(transaction));
        await access.DisposeAsync(transaction);
        await access.OpenAsync(connection);
        await access.TryAsync("rolled back", () => access.ScalarAsync(connection, "SELECT count(*) FROM y_left"));
    }

    private static async Task CommandsAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var before = CallRecorder.Command(connection, "SELECT 1");
        await using var transaction = await access.BeginAsync(connection, IsolationLevel.Serializable);
        await using var within = CallRecorder.Command(connection, "SELECT 1");
        access.Note("before", ReferenceEquals(before.Transaction, transaction));
        access.Note("within", ReferenceEquals(within.Transaction, transaction));
        await access.TryAsync("before", () => access.ScalarAsync(before));
        await access.TryAsync("within", () => access.ScalarAsync(within));
        before.Transaction = transaction;
        access.Note("set", ReferenceEquals(before.Transaction, transaction));
        await access.TryAsync("set", () => access.ScalarAsync(before));
        await access.CommitAsync(transaction);
        await access.TryAsync("after", () => access.ScalarAsync(within));
    }
}
