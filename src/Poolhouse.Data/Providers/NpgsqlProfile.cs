using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Poolhouse.Data.Budgets;
using Poolhouse.Data.Opening;

namespace Poolhouse.Data.Providers;

/// <summary>Npgsql, the provider of PostgreSQL.</summary>
/// <param name="readOnlyIsStandby">
/// Whether a primary whose sessions are read-only by default counts as a standby, because it accepts no writes.
/// </param>
internal sealed class NpgsqlProfile(bool readOnlyIsStandby = true) : DbProviderProfile
{
    public override string Name => "Npgsql";

    // Measured in docs/design/adr-0014.
    public override bool ResetsAlong => true;

    public override bool PlainStatementsEndTheirTransactions => true;

    internal override bool LeavesTransactionsLate => true;

    public override string Guarantee => "everything that PostgreSQL's `DISCARD ALL` resets";

    public override DbProviderLimits Limits => DbProviderLimits.None;

    public override bool Recognizes(Type type) => type.Namespace is "Npgsql";

    public override SessionReset GetReset(DbConnection connection) => SessionReset.PostgreSql;

    public static SessionReset CreateReset(bool keepPrepared) => new PostgreSqlReset(keepPrepared);

    internal override SessionLister? Sessions { get; } = new NpgsqlSessions();

    internal override PooledConnection CreateConnection(PooledDataSource source) => new UseUnwrap.NpgsqlConnection(source);

    internal override bool HasPoolPerHost(string connectionString) =>
        new DbConnectionStringBuilder { ConnectionString = connectionString }.TryGetValue("Host", out var hosts)
        && hosts is string list
        && list.Contains(',', StringComparison.Ordinal);

    // A server set cannot prefer a primary: while there is none, it would have to ask the standbys again and again.
    internal override HostList? SplitHosts(DbProviderFactory factory, string connectionString)
    {
        const string Balance = "Load Balance Hosts";
        const string Attributes = "Target Session Attributes";
        var builder = ProviderStrings.Parse(factory, connectionString);
        var attributes = builder[Attributes] is string { Length: > 0 } set
            ? set
            : Environment.GetEnvironmentVariable("PGTARGETSESSIONATTRS");
        RequiredRole? required = attributes?.ToUpperInvariant() switch
        {
            null or "ANY" => RequiredRole.Any,
            "PRIMARY" or "READ-WRITE" => RequiredRole.Primary,
            "PREFER-STANDBY" => RequiredRole.PreferStandby,
            "STANDBY" or "READ-ONLY" => RequiredRole.Standby,
            _ => null,
        };
        if (required is not { } role || !HasPoolPerHost(builder.ConnectionString))
        {
            return null;
        }

        var options = new ServerSetOptions
        {
            Selection = builder[Balance] is true ? ServerSelection.RoundRobin : ServerSelection.Ordered,
        };
        var hosts = ((string)builder["Host"]).Split(',');
        builder.Remove(Balance);
        builder.Remove(Attributes);
        return new HostList(
            Array.ConvertAll(hosts, host => ProviderStrings.With(builder, "Host", host.Trim())), options, role,
            new NpgsqlProfile(readOnlyIsStandby: attributes?.StartsWith("read-", StringComparison.OrdinalIgnoreCase) is true));
    }

    // The source for several hosts keeps the types of each host separately, and does not tell which host a connection is on.
    internal override object KeeperOfTypes(DbDataSource source) =>
        source.GetType().Name is "NpgsqlMultiHostDataSource" or "MultiHostDataSourceWrapper" ? new object() : source;

    internal override bool PreparesAutomatically(DbConnection connection) =>
        new DbConnectionStringBuilder { ConnectionString = connection.ConnectionString }.TryGetValue(
            "Max Auto Prepare", out var limit)
        && limit is not ("0" or 0);

    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "A method that was trimmed away is one that the application cannot call either.")]
    internal override async ValueTask ReloadTypesAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        if (connection.GetType().GetMethod(
            "ReloadTypesAsync", [typeof(CancellationToken)])?.Invoke(connection, [cancellationToken]) is Task reloading)
        {
            await reloading.ConfigureAwait(false);
        }
    }

    // It opens sessions for ChangeDatabase from pools that it keeps for the connection string, and would keep one session in
    // each. The pool that is the origin of the connection is not one of them.
    internal override void ReleaseSessions(DbConnection connection, bool forGood) => ClearPool(connection);

    // The server reports both at the connect, and when they change: the first only after a promotion. An older server than 14, or
    // an application from which the property was trimmed away, is asked.
    public override ValueTask<ServerRole> GetRoleAsync(DbConnection connection, CancellationToken cancellationToken) =>
        ReportedRole(connection) is var role and not ServerRole.Unknown
            ? new(role)
            : QueryRoleAsync(
                connection,
                readOnlyIsStandby
                    ? "SELECT (pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool)::int"
                    : "SELECT pg_is_in_recovery()::int",
                cancellationToken);

    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "If the property was trimmed away, the server is asked.")]
    internal override ServerRole ReportedRole(DbConnection connection) =>
        connection?.GetType().GetProperty("PostgresParameters")?.GetValue(connection)
                is IReadOnlyDictionary<string, string> reported
            && reported.TryGetValue("in_hot_standby", out var standby)
            && reported.TryGetValue("default_transaction_read_only", out var readOnly)
            ? standby is "off" && !(readOnlyIsStandby && readOnly is "on") ? ServerRole.Primary : ServerRole.Standby
            : ServerRole.Unknown;

    // PostgreSQL has the same code for its statement_timeout. The provider throws this exception only if it has sent no request
    // to cancel, by itself or for its user: otherwise that of a cancellation or a timeout.
    protected override DbErrorSeverity ClassifyState(string state, DbException failure) =>
        state is "25006" ? DbErrorSeverity.Role
            : state is "57014" && failure.GetType().Name is "PostgresException" ? DbErrorSeverity.Statement
            : base.ClassifyState(state, failure);

    /// <summary>Resets a PostgreSQL session completely, or all but its prepared statements.</summary>
    // DISCARD ALL fails inside a transaction block (SQLSTATE 25001, or 25P02 after an error), which reveals an open transaction
    // without an additional round trip. The list that keeps prepared statements is what the documentation of DISCARD
    // gives as the meaning of ALL, without DEALLOCATE ALL and DISCARD PLANS; it would succeed inside a transaction and be lost
    // with it, so it runs in a separate transaction, which the provider refuses to begin when another is open. Npgsql sends BEGIN
    // with the next command, and the list ends with the COMMIT: one round trip.
    private sealed class PostgreSqlReset(bool keepPrepared) : SessionReset
    {
        private const string KeepPrepared =
            "SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); " +
            "DISCARD TEMP; DISCARD SEQUENCES; COMMIT";

        /// <summary>The provider's prepared statements are kept once there may be any, as in Npgsql's own pool.</summary>
        internal override SessionReset AfterPrepare => PostgreSqlKeepPrepared;

        public override async ValueTask<bool> ResetAsync(
            DbConnection connection, object? captured, CancellationToken cancellationToken)
        {
            if (keepPrepared)
            {
                if (!await TryKeepPreparedAsync(connection, cancellationToken).ConfigureAwait(false))
                {
                    await ExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);
                    return await TryKeepPreparedAsync(connection, cancellationToken).ConfigureAwait(false);
                }

                return true;
            }

            try
            {
                await ExecuteAsync(connection, "DISCARD ALL", cancellationToken).ConfigureAwait(false);
            }
            catch (DbException inTransaction) when (inTransaction.SqlState is "25001" or "25P02")
            {
                await ExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);
                await ExecuteAsync(connection, "DISCARD ALL", cancellationToken).ConfigureAwait(false);
            }

            return true;
        }

        /// <returns>False if another transaction is open.</returns>
        private static async ValueTask<bool> TryKeepPreparedAsync(DbConnection connection, CancellationToken cancellationToken)
        {
            DbTransaction transaction;
            try
            {
                transaction = await connection.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (InvalidOperationException)
            {
                return false;
            }

            await using (transaction.ConfigureAwait(false))
            {
                await ExecuteAsync(connection, KeepPrepared, cancellationToken).ConfigureAwait(false);
            }

            return true;
        }
    }
}
