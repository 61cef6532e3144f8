using System.Data.Common;
using Poolhouse.Data.Providers;
using Poolhouse.Data.Providers.Resets;
using Poolhouse.Data.Wrappers;

namespace Poolhouse.Data;

/// <summary>Resets a session before another caller uses its connection (promise I21).</summary>
/// <remarks>
/// <para>
/// The pool runs the reset in the background after a return, within <see cref="ResourcePoolOptions.ResetTimeout"/>; if a reset
/// throws, returns false or hangs, the connection is destroyed. Connections of a <see cref="PooledDataSource"/> that executed
/// nothing, or only statements that leave nothing behind (<see cref="MayLeaveTraces"/>), are not reset.
/// </para>
/// <para>Derive from this class to support another database. One instance serves many connections at once: do not store state of
/// a connection in it.</para>
/// </remarks>
public abstract class SessionReset
{
    /// <summary>
    /// Resets everything in a PostgreSQL session: open transaction, role and session authorization, settings, prepared
    /// statements, cursors, LISTEN, advisory locks, temporary tables, sequence caches. <c>DISCARD ALL</c>, after a rollback where
    /// one is needed.
    /// </summary>
    /// <remarks>
    /// If the provider may have prepared statements (after <c>Prepare</c> or <c>Unwrap</c>, with <c>Max Auto Prepare</c>, and on
    /// connections that a <see cref="DbConnectionPool{TConnection}"/> leases), they are kept, as in Npgsql's own pool: Npgsql
    /// keeps a list of them, which would be wrong otherwise.
    /// </remarks>
    public static SessionReset PostgreSql { get; } = NpgsqlProfile.CreateReset(keepPrepared: false);

    /// <summary>
    /// The same as <see cref="PostgreSql"/>, but prepared statements and their plans are kept: for providers that prepare
    /// statements automatically.
    /// </summary>
    public static SessionReset PostgreSqlKeepPrepared { get; } = NpgsqlProfile.CreateReset(keepPrepared: true);

    /// <summary>
    /// Resets in a SQLite session: open transaction, attached databases, temporary tables, views and triggers,
    /// <c>last_insert_rowid()</c>, and the pragmas
    /// <c>foreign_keys</c>, <c>query_only</c>, <c>recursive_triggers</c>, <c>read_uncommitted</c>, <c>busy_timeout</c>,
    /// <c>cache_size</c>, <c>synchronous</c>, <c>temp_store</c>, <c>defer_foreign_keys</c>, <c>ignore_check_constraints</c> and
    /// <c>reverse_unordered_selects</c>, which are restored to their values when the connection was opened, as is the default
    /// timeout of commands.
    /// </summary>
    /// <remarks>
    /// A connection is destroyed if other pragmas were changed, if a database or temporary table that it was opened with was
    /// replaced, or if it has other functions, aggregates, collations or modules than after
    /// <see cref="DbPoolOptions.Initialize"/>, also those of a loaded extension; loading extensions is disabled again. Not reset:
    /// hooks that were set through <c>SqliteConnection.Handle</c>, <c>changes()</c>, <c>total_changes()</c>, the rows of a
    /// temporary table that the connection was opened with, a <c>cache_spill</c> other than <c>OFF</c>, a <c>page_size</c> or
    /// <c>auto_vacuum</c> that waits for the next <c>VACUUM</c>, and the settings of the process (<c>soft_heap_limit</c>,
    /// <c>hard_heap_limit</c>, <c>temp_store_directory</c>).
    /// </remarks>
    public static SessionReset Sqlite { get; } = new SqliteReset();

    /// <summary>
    /// Resets in a session of SQL Server what the reset of its protocol undoes (open transaction, settings, temporary tables,
    /// cursors, application locks, context, database), and sets the isolation level to READ COMMITTED.
    /// </summary>
    /// <remarks>
    /// <para>
    /// With a factory and a connection string, each connection has a pool of SqlClient's of its own, and the reset is sent along
    /// with the next request: it costs no round trip. After anything but queries, changes of rows and completed transactions, the
    /// isolation level is set in the background, in a request that carries the reset: the protocol's reset leaves it as it is,
    /// and without a request, locks and temporary tables would remain while the connection is idle. So after each lease of a
    /// <see cref="DbConnectionPool{TConnection}"/>, whose statements the pool does not see, unless they are reported
    /// (<see cref="DbConnectionPool{TConnection}.ObserveStatement"/>).
    /// </para>
    /// <para>
    /// With a data source that an application has built, <c>sp_reset_connection</c> is called in the background. A session whose
    /// user is another one after <c>EXECUTE AS</c> is closed. Verified against the protocol, not against a real server.
    /// </para>
    /// </remarks>
    public static SessionReset SqlServer { get; } = SqlClientProfile.CreateReset();

    /// <summary>
    /// Resets sessions of MySQL and MariaDB with MySqlConnector's <c>ResetConnectionAsync</c> and switches back to the database
    /// that the connection was opened with.
    /// </summary>
    /// <remarks>
    /// A connection is destroyed instead if it was opened without a database and has one now, if the provider prepared a
    /// statement on it (MySqlConnector keeps a list of these statements, which the reset makes wrong), or if it has no such
    /// method: MySql.Data offers none, so a connection of that provider serves one lease.
    /// </remarks>
    public static SessionReset MySql { get; } = MySqlProfile.CreateReset();

    /// <summary>
    /// Only rolls back an open transaction; settings, temporary tables and locks remain visible to the next user.
    /// </summary>
    public static SessionReset RollbackOnly { get; } = new RollbackReset(profile: null);

    /// <summary>
    /// Uses the provider's own reset: each connection comes from a provider pool of its own, is returned to that pool by closing
    /// it, and is opened again. With Npgsql this costs no round trip, because it sends its reset along with the next command;
    /// with MySqlConnector it costs one, and connections with prepared statements are kept.
    /// </summary>
    /// <remarks>
    /// <para>
    /// Only for pools created from a factory and a connection string, and for providers whose factory creates data sources with
    /// pools of their own (Npgsql, MySqlConnector), and for SqlClient, where a pool sends the reset along with the next request
    /// too, but leaves the isolation level as it is. With MySql.Data, all connections would share one pool, so it is rejected.
    /// The default with Npgsql, unless the connection string lists several hosts and prefers a primary (<c>Target Session
    /// Attributes=prefer-primary</c>): then only Npgsql can choose, which pools each host separately, so this reset is rejected.
    /// The costs: each connection needs a provider pool (Npgsql loads and keeps the database's types for each), and until its
    /// next command the server keeps the state of the last user: locks and temporary tables remain while the connection is idle.
    /// </para>
    /// <para>
    /// Do not detach leased connections (<see cref="Lease{T}.Detach"/>) with Npgsql: it keeps the session of such a connection
    /// open after its disposal, until the process ends.
    /// </para>
    /// <para>Figures: docs/design/adr-0014.</para>
    /// </remarks>
    public static SessionReset Provider { get; } = new ProviderReset();

    /// <summary>
    /// Resets nothing, not even event handlers. For sessions that no caller changes, and for proxies that reset them (PgBouncer
    /// with <c>server_reset_query</c>).
    /// </summary>
    /// <remarks>A connection whose lease was tainted, or was returned with an open transaction or reader, is destroyed.</remarks>
    public static SessionReset None { get; } = new NoReset();

    internal static SessionReset Discard { get; } = new DiscardReset();

    internal static SessionReset PlainOnly { get; } = new PlainOnlyReset();

    /// <summary>Whether this reset does nothing.</summary>
    internal virtual bool IsNone => false;

    /// <summary>
    /// Captures the state that <see cref="ResetAsync"/> must restore. Called once, after a connection was opened.
    /// </summary>
    /// <param name="connection">The provider's own connection, open.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.CreateTimeout"/>.</param>
    /// <returns>The captured state, which is passed to <see cref="ResetAsync"/>. <c>null</c> unless overridden.</returns>
    public virtual ValueTask<object?> CaptureAsync(DbConnection connection, CancellationToken cancellationToken) => default;

    /// <summary>
    /// Determines whether a statement may change the session in a way that <see cref="ResetAsync"/> would have to undo.
    /// </summary>
    /// <param name="statement">The text of a command.</param>
    /// <returns>
    /// True unless overridden. Return true when in doubt: a statement may call functions that do more than its text shows. Leases
    /// of a <see cref="PooledDataSource"/> whose statements leave nothing behind are not reset. Runs on the caller's stack before
    /// each execution; it must not throw.
    /// </returns>
    public virtual bool MayLeaveTraces(string statement) => true;

    /// <summary>
    /// Determines whether a statement may leave more behind than an open transaction and the effects of changes of rows.
    /// </summary>
    /// <remarks>
    /// If it is false for all statements, <see cref="ResetRowsAsync"/> is sufficient. Called like <see cref="MayLeaveTraces"/>.
    /// </remarks>
    internal virtual bool MayChangeSession(string statement) => true;

    /// <summary>
    /// Whether the session keeps or gets back what <see cref="DbPoolOptions.Initialize"/> has set; otherwise that is called again
    /// after the reset.
    /// </summary>
    internal virtual bool KeepsInitialization => false;

    /// <summary>Whether it switches back to the database that the connection was opened on.</summary>
    internal virtual bool RestoresDatabase => false;

    /// <summary>Whether each connection should have a pool of the provider of its own, where the provider allows that.</summary>
    internal virtual bool WantsOwnPool => false;

    /// <summary>
    /// Whether a statement needs nothing else than the reset that a provider sends along, so that it can be requested at once.
    /// </summary>
    internal virtual bool IsPlain(string statement) => PlainStatements.IsOne(statement);

    /// <summary>The reset to use for a connection: this one, unless more is known about the provider.</summary>
    /// <param name="provider">The provider.</param>
    /// <param name="hasOwnPool">Whether the connection is the only one of a provider pool.</param>
    internal virtual SessionReset On(DbProviderProfile provider, bool hasOwnPool) => this;

    /// <summary>Completes the reset of a connection in a pool of its own that was closed and opened again.</summary>
    /// <returns>False to destroy the connection.</returns>
    internal virtual ValueTask<bool> FinishReopenedAsync(DbConnection connection, CancellationToken cancellationToken) =>
        new(result: true);

    /// <summary>The reset to use once the provider may have prepared statements on the connection.</summary>
    internal virtual SessionReset AfterPrepare => this;

    /// <summary>Resets a session in which rows were changed, inside or outside of transactions, and nothing else.</summary>
    internal virtual ValueTask<bool> ResetRowsAsync(
        DbConnection connection, object? captured, CancellationToken cancellationToken) =>
        ResetAsync(connection, captured, cancellationToken);

    /// <summary>Resets a session.</summary>
    /// <param name="connection">The provider's own connection, open and not in use elsewhere.</param>
    /// <param name="captured">The state that <see cref="CaptureAsync"/> returned for this connection.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.ResetTimeout"/>.</param>
    /// <returns>False to destroy the connection.</returns>
    public abstract ValueTask<bool> ResetAsync(DbConnection connection, object? captured, CancellationToken cancellationToken);

    internal static DbCommand CreateCommand(DbConnection connection, string statement)
    {
        var command = connection.CreateCommand();
#pragma warning disable CA2100 // The statements are those of this package, or a setting of the pool.
        command.CommandText = statement;
#pragma warning restore CA2100
        return command;
    }

    internal static async ValueTask ExecuteAsync(
        DbConnection connection, string statement, CancellationToken cancellationToken)
    {
        var command = CreateCommand(connection, statement);
        await using (command.ConfigureAwait(false))
        {
            await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Executes statements, and returns the first value of their first result.</summary>
    internal static async ValueTask<object?> ReadAsync(
        DbConnection connection, string statements, CancellationToken cancellationToken)
    {
        var command = CreateCommand(connection, statements);
        await using (command.ConfigureAwait(false))
        {
            return await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Executes statements, and returns false if they fail.</summary>
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
}
