using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Poolhouse.Data.Budgets;

namespace Poolhouse.Data.Providers;

/// <summary>MySqlConnector and MySql.Data, the providers of MySQL and MariaDB.</summary>
internal sealed class MySqlProfile : DbProviderProfile
{
    public override string Name => "MySqlConnector";

    public override string Guarantee =>
        "everything that `COM_RESET_CONNECTION` resets, and the default database; with MySql.Data, each " +
        "connection serves one lease";

    public override DbProviderLimits Limits => DbProviderLimits.None;

    public override bool Recognizes(Type type) => type.Namespace is "MySqlConnector" or "MySql.Data.MySqlClient";

    public override SessionReset GetReset(DbConnection connection) => SessionReset.MySql;

    public static SessionReset CreateReset() => new MySqlReset(mayHavePrepared: false);

    // A second BEGIN would commit the first transaction, and a plain ROLLBACK is accepted at any time.
    public override async ValueTask<bool> TryRollbackAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        await SessionReset.ExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);
        return true;
    }

    public override bool LacksRoom(Exception openFailure) =>
        base.LacksRoom(openFailure) || (openFailure is DbException failure && NumberOf(failure) is 1040 or 1203 or 1226);

    internal override SessionLister? Sessions { get; } = new MySqlSessions();

    internal override PooledConnection CreateConnection(PooledDataSource source) => new UseUnwrap.MySqlConnection(source);

    // The variables are numbers, or words in newer versions of MariaDB.
    public override ValueTask<ServerRole> GetRoleAsync(DbConnection connection, CancellationToken cancellationToken) =>
        QueryRoleAsync(
            connection,
            "SELECT CASE WHEN @@read_only IN ('0', 'OFF') AND @@innodb_read_only IN ('0', 'OFF') THEN 0 ELSE 1 END",
            cancellationToken);

    // The server runs with an option that prevents the statement, in nearly all cases read_only; innodb_read_only.
    public override DbErrorSeverity Classify(Exception exception) =>
        exception is DbException failure && NumberOf(failure) is 1290 or 1836
            ? DbErrorSeverity.Role
            : base.Classify(exception);

    // The state of MariaDB's max_statement_time is that of a statement or session that was killed, whose number is 1317.
    protected override DbErrorSeverity ClassifyState(string state, DbException failure) =>
        state is "70100" && NumberOf(failure) is 1969 ? DbErrorSeverity.Statement : base.ClassifyState(state, failure);

    // Both providers store it there.
    private static object? NumberOf(DbException failure) => failure.Data["Server Error Code"];

    /// <summary>
    /// Resets a MySQL session with the protocol's COM_RESET_CONNECTION, and switches back to the database it was opened on.
    /// </summary>
    /// <param name="mayHavePrepared">Whether the provider may have prepared statements, which the command removes from the
    /// server.</param>
    // The command has no SQL form and does not change the default database; MySqlConnector offers it as a method. In a trimmed
    // application the method may be missing: then the connection is destroyed, which is slow but correct.
    // Only MySqlConnector's own pool clears its list of prepared statements. The server counts them, and the count is queried
    // if the pool cannot see what the user does.
    private sealed class MySqlReset(bool mayHavePrepared) : SessionReset
    {
        private static readonly MySqlReset _afterPrepare = new(mayHavePrepared: true);

        internal override SessionReset AfterPrepare => _afterPrepare;

        // It compares the name of the server, which may differ in case from the name in the connection string.
        internal override bool RestoresDatabase => true;

        public override async ValueTask<bool> ResetAsync(
            DbConnection connection, object? captured, CancellationToken cancellationToken)
        {
            await ExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);
            if (mayHavePrepared && await HasPreparedAsync(connection, cancellationToken).ConfigureAwait(false))
            {
                return false;
            }

            if (!await TryResetAsync(connection, cancellationToken).ConfigureAwait(false))
            {
                return false;
            }

            if (captured is string database)
            {
                await connection.ChangeDatabaseAsync(database, cancellationToken).ConfigureAwait(false);
                return true;
            }

            // It cannot be switched back to no database.
            return await ReadDatabaseAsync(connection, cancellationToken).ConfigureAwait(false) is null;
        }

        public override async ValueTask<object?> CaptureAsync(DbConnection connection, CancellationToken cancellationToken) =>
            await ReadDatabaseAsync(connection, cancellationToken).ConfigureAwait(false);

        // MySql.Data 8.0 does not know the character set utf8mb3, in which MariaDB sends its own names.
        private static async ValueTask<string?> ReadDatabaseAsync(DbConnection connection, CancellationToken cancellationToken) =>
            await ReadAsync(connection, "SELECT CONVERT(DATABASE() USING utf8mb4)", cancellationToken)
                .ConfigureAwait(false) as string;

        private static async ValueTask<bool> HasPreparedAsync(DbConnection connection, CancellationToken cancellationToken)
        {
            var command = CreateCommand(connection, "SHOW SESSION STATUS LIKE 'Com_stmt_prepare'");
            await using (command.ConfigureAwait(false))
            {
                var reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
                await using (reader.ConfigureAwait(false))
                {
                    return await reader.ReadAsync(cancellationToken).ConfigureAwait(false) && reader.GetString(1) is not "0";
                }
            }
        }

        [UnconditionalSuppressMessage(
            "Trimming", "IL2075", Justification = "A method that was trimmed away is noticed, and the connection destroyed.")]
        private static async ValueTask<bool> TryResetAsync(DbConnection connection, CancellationToken cancellationToken)
        {
            var method = connection.GetType().GetMethod("ResetConnectionAsync", [typeof(CancellationToken)]);
            switch (method?.Invoke(connection, [cancellationToken]))
            {
                case ValueTask resetting:
                    await resetting.ConfigureAwait(false);
                    return true;
                case Task resetting:
                    await resetting.ConfigureAwait(false);
                    return true;
                default:
                    return false;
            }
        }
    }
}
