using System.Data.Common;
using Poolhouse.Data.Wrappers;

namespace Poolhouse.Data.Resets;

/// <summary>Rolls back the open transaction, for any database.</summary>
// In MySQL and SQL Server a setting of the session, which this reset does not undo, makes every statement begin a transaction. In
// SQLite and PostgreSQL there is no such setting: a query or change of rows cannot leave a transaction open.
internal sealed class RollbackReset(bool isPlainHarmless) : SessionReset
{
    private static readonly RollbackReset _afterOthers = new(isPlainHarmless: true);

    internal override bool KeepsInitialization => true;

    internal override SessionReset On(DbConnection connection) =>
        IsOf(connection, "SqliteConnection") || IsOf(connection, "NpgsqlConnection") ? _afterOthers : this;

    public override bool MayLeaveTraces(string statement) => !isPlainHarmless || !PlainStatements.IsOne(statement);

    public override async ValueTask<bool> ResetAsync(
        DbConnection connection, object? captured, CancellationToken cancellationToken) =>
        await TryRollbackAsync(connection, cancellationToken).ConfigureAwait(false);

    /// <summary>
    /// Ends a transaction that was begun through the provider or by SQL, without an error in the server's log if there is none.
    /// </summary>
    /// <returns>False if the connection is unusable: its provider still tracks a transaction that has ended.</returns>
    // Providers reject a second transaction, most of them without a round trip. MySQL must not be checked this way: there the
    // second BEGIN commits the first transaction. It accepts a plain ROLLBACK at any time. SQLite's provider would begin
    // with a write lock.
    public static async ValueTask<bool> TryRollbackAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        if (IsOf(connection, "MySqlConnection"))
        {
            await ExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);
            return true;
        }

        if (await CanBeginAsync(connection, cancellationToken).ConfigureAwait(false))
        {
            return true;
        }

        await ExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);
        return await CanBeginAsync(connection, cancellationToken).ConfigureAwait(false);
    }

    private static ValueTask<bool> CanBeginAsync(DbConnection connection, CancellationToken cancellationToken) =>
        IsOf(connection, "SqliteConnection")
            ? TryExecuteAsync(connection, "BEGIN DEFERRED; ROLLBACK", cancellationToken)
            : TryProbeAsync(connection, cancellationToken);

    private static bool IsOf(DbConnection connection, string type) =>
        string.Equals(connection.GetType().Name, type, StringComparison.Ordinal);

    internal static async ValueTask<bool> TryExecuteAsync(
        DbConnection connection, string statements, CancellationToken cancellationToken)
    {
        try
        {
            await ExecuteAsync(connection, statements, cancellationToken).ConfigureAwait(false);
            return true;
        }
        catch (Exception refusal) when (refusal is InvalidOperationException or DbException)
        {
            return false;
        }
    }

    private static async ValueTask<bool> TryProbeAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        DbTransaction probe;
        try
        {
            probe = await connection.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception refusal) when (refusal is InvalidOperationException or DbException)
        {
            return false;
        }

        await using (probe.ConfigureAwait(false))
        {
            await probe.RollbackAsync(cancellationToken).ConfigureAwait(false);
        }

        return true;
    }
}
