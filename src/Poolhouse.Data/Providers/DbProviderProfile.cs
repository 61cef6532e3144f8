using System.ComponentModel;
using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Poolhouse.Data.Budgets;
using Poolhouse.Data.Opening;
using Poolhouse.Data.Providers;

namespace Poolhouse.Data;

/// <summary>
/// All that a pool knows about an ADO.NET provider: how to recognize it, how to write its connection strings, how to reset its
/// sessions, and what its exceptions mean. Thread safe.
/// </summary>
/// <remarks>
/// Derive from this class to support another provider, and pass an instance as <see cref="DbPoolOptions.Profile"/>. Every member
/// has a safe default but <see cref="Name"/> and <see cref="Recognizes"/>. The guide own-provider.md shows an example.
/// </remarks>
public abstract class DbProviderProfile
{
    private static readonly GenericProfile _generic = new();

    /// <summary>The profiles that this package contains; the last one is for all other providers.</summary>
    public static IReadOnlyList<DbProviderProfile> All { get; } =
    [
        new NpgsqlProfile(), new SqlClientProfile(), new MySqlProfile(), new SqliteProfile(), new SystemSqliteProfile(),
        new OdbcProfile(), new DuckDbProfile(), new FirebirdProfile(), _generic,
    ];

    /// <summary>The name of the provider's package, for documentation.</summary>
    public abstract string Name { get; }

    /// <summary>Determines whether a type is one of the provider's: a connection, an exception, a data source.</summary>
    /// <param name="type">The type. Its base types are passed in separate calls if the result is false.</param>
    /// <returns>True if it is.</returns>
    public abstract bool Recognizes(Type type);

    /// <summary>What the next user of a session finds clean by default, for documentation.</summary>
    /// <value>"only an open transaction" unless overridden.</value>
    public virtual string Guarantee => "only an open transaction";

    /// <summary>What the provider, or a pool over it, cannot do.</summary>
    /// <value><see cref="DbProviderLimits.SessionState"/> unless overridden.</value>
    public virtual DbProviderLimits Limits => DbProviderLimits.SessionState;

    /// <summary>A query without effects, which validates a connection.</summary>
    /// <value>"SELECT 1" unless overridden.</value>
    public virtual string ValidationQuery => DbPoolOptions.DefaultValidationQuery;

    /// <summary>Whether connection strings follow the quoting rules of ODBC, with braces, instead of those of ADO.NET.</summary>
    /// <value>False unless overridden.</value>
    public virtual bool UsesOdbcRules => false;

    /// <summary>The keyword of the provider's connection strings that turns its own pool off if it is false.</summary>
    /// <value>
    /// <c>null</c> unless overridden: "Pooling", if the provider's <see cref="DbConnectionStringBuilder"/> has that keyword.
    /// </value>
    public virtual string? PoolingKeyword => null;

    /// <summary>
    /// Whether the provider's own pool resets a session together with the next command, so that a session in a provider pool of
    /// its own is reset without a round trip by closing the connection and opening it again.
    /// </summary>
    /// <value>
    /// False unless overridden. If true, pools with a factory and a connection string use <see cref="SessionReset.Provider"/>.
    /// </value>
    public virtual bool ResetsAlong => false;

    /// <summary>
    /// Whether a single query or change of rows can leave no transaction open. False for databases in which a setting of the
    /// session makes every statement begin a transaction.
    /// </summary>
    /// <value>False unless overridden.</value>
    public virtual bool PlainStatementsEndTheirTransactions => false;

    /// <summary>
    /// Whether its connections keep the functions and collations that an application registers in dictionaries.
    /// </summary>
    internal virtual bool RegistersFunctions => false;

    /// <summary>
    /// Whether the provider leaves a transaction of System.Transactions only after that has completed, and remembers one that it
    /// could not join.
    /// </summary>
    internal virtual bool LeavesTransactionsLate => false;

    /// <summary>The reset for a connection unless <see cref="DbPoolOptions.Reset"/> is set.</summary>
    /// <param name="connection">A connection of the provider, open or closed.</param>
    /// <returns><see cref="SessionReset.RollbackOnly"/> unless overridden.</returns>
    public virtual SessionReset GetReset(DbConnection connection) => SessionReset.RollbackOnly;

    /// <summary>
    /// Rolls back a transaction that was begun through the provider or by SQL, if there is one, and never commits it.
    /// </summary>
    /// <param name="connection">The provider's open connection.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.ResetTimeout"/>.</param>
    /// <returns>
    /// False if it is not certain that no transaction is open: the connection is destroyed. Unless overridden, a transaction is
    /// begun through the provider, which is expected to reject a second one, and rolled back; if that fails, <c>ROLLBACK</c> is
    /// executed first.
    /// </returns>
    // Providers reject a second transaction, most of them without a round trip, and the server's log shows no error.
    public virtual async ValueTask<bool> TryRollbackAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(connection);
        if (await CanBeginAsync(connection, cancellationToken).ConfigureAwait(false))
        {
            return true;
        }

        await SessionReset.ExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);
        return await CanBeginAsync(connection, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Determines what an exception thrown by a command, a reader or a transaction means for the connection.</summary>
    /// <param name="exception">The exception.</param>
    /// <returns>
    /// The severity of the error. Unless overridden, it is determined by the SQLSTATE (ISO/IEC 9075 class 08, and PostgreSQL's
    /// appendix A), then by the inner exceptions: a timeout, a broken socket or stream.
    /// </returns>
    public virtual DbErrorSeverity Classify(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return exception switch
        {
            OperationCanceledException => DbErrorSeverity.Connection,
            DbException { SqlState: { Length: 5 } state } failure => ClassifyState(state, failure),
            _ when IsTimeout(exception) => DbErrorSeverity.Connection,
            _ when IsBrokenLine(exception) => DbErrorSeverity.Server,

            // A command timeout may be reported with the error of the statement that was cancelled as the inner exception.
            DbException { InnerException: DbException { SqlState: { Length: 5 } state } inner } => ClassifyState(state, inner),
            DbException => DbErrorSeverity.Statement,

            // Exceptions about incorrect use of the provider: nothing was sent.
            InvalidOperationException or ArgumentException or NotSupportedException or InvalidCastException or FormatException =>
                DbErrorSeverity.Statement,
            _ => DbErrorSeverity.Connection,
        };
    }

    /// <summary>
    /// Determines whether another attempt to open a connection cannot succeed either: a wrong password, no such database.
    /// </summary>
    /// <param name="openFailure">The exception.</param>
    /// <returns>
    /// True to report the failure to callers at once. Unless overridden, true for every <see cref="DbException"/> that its
    /// provider does not mark as transient and that is neither a timeout nor a broken connection, and for exceptions of a
    /// provider about its settings.
    /// </returns>
    public virtual bool IsPermanent(Exception openFailure)
    {
        ArgumentNullException.ThrowIfNull(openFailure);
        return openFailure switch
        {
            DbException failure => !failure.IsTransient && !IsTimeout(failure) && !IsBrokenLine(failure),
            InvalidOperationException or ArgumentException or NotSupportedException or UnauthorizedAccessException => true,
            _ => false,
        };
    }

    /// <summary>
    /// Determines whether a connection could not be opened only because the server has no room for another session.
    /// </summary>
    /// <param name="openFailure">The exception.</param>
    /// <returns>
    /// True to let callers wait for a connection to be returned. Unless overridden, true for SQLSTATE 53300.
    /// </returns>
    public virtual bool LacksRoom(Exception openFailure)
    {
        ArgumentNullException.ThrowIfNull(openFailure);
        return openFailure is DbException { SqlState: "53300" };
    }

    /// <summary>Determines whether the server of a connection accepts writes.</summary>
    /// <param name="connection">The provider's open connection.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.CreateTimeout"/>.</param>
    /// <returns>
    /// <see cref="ServerRole.Unknown"/> unless overridden: a pool over the provider cannot require a role
    /// (<see cref="DbPoolOptions.RequiredRole"/>). Called only for pools that do, when a connection was opened.
    /// </returns>
    public virtual ValueTask<ServerRole> GetRoleAsync(DbConnection connection, CancellationToken cancellationToken) =>
        new(ServerRole.Unknown);

    /// <summary>The role as the provider reports it without a round trip; unknown if it does not.</summary>
    internal virtual ServerRole ReportedRole(DbConnection connection) => ServerRole.Unknown;

    /// <summary>Determines the role by a query whose result is 0 if the server accepts writes.</summary>
    private protected static async ValueTask<ServerRole> QueryRoleAsync(
        DbConnection connection, string query, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(connection);
        var isReadOnly = await SessionReset.ReadAsync(connection, query, cancellationToken).ConfigureAwait(false);
        return Convert.ToInt32(isReadOnly, CultureInfo.InvariantCulture) == 0 ? ServerRole.Primary : ServerRole.Standby;
    }

    /// <summary>Determines what a SQLSTATE means for the connection.</summary>
    /// <param name="state">Five characters.</param>
    /// <param name="failure">The exception that has it.</param>
    /// <returns>The severity of the error.</returns>
    protected virtual DbErrorSeverity ClassifyState(string state, DbException failure)
    {
        ArgumentNullException.ThrowIfNull(state);
        return state switch
        {
            // Cancelled on request: the request may still be on its way when the next statement runs.
            "57014" or "70100" or "HY008" or "HYT00" or "HYT01" => DbErrorSeverity.Connection,

            // admin_shutdown (also pg_terminate_backend), crash_shutdown, cannot_connect_now
            "57P01" or "57P02" or "57P03" => DbErrorSeverity.Server,

            // database_dropped, idle_session_timeout, idle_in_transaction_session_timeout
            "57P04" or "57P05" or "25P03" => DbErrorSeverity.Connection,
            _ when state.StartsWith("08", StringComparison.Ordinal) => DbErrorSeverity.Server,

            // System errors and internal errors.
            _ when state.StartsWith("58", StringComparison.Ordinal) || state.StartsWith("XX", StringComparison.Ordinal) =>
                DbErrorSeverity.Connection,
            _ => DbErrorSeverity.Statement,
        };
    }

    /// <summary>The server of a connection, as the name of an unnamed pool in metrics.</summary>
    /// <param name="connection">A closed connection.</param>
    /// <returns><c>server:port/database</c> unless overridden; null if there is no name that may be shown.</returns>
    public virtual string? NameServer(DbConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        return ServerName.Of(connection);
    }

    /// <summary>The profile for a type of a provider, and for the types derived from it.</summary>
    internal static DbProviderProfile For(Type? type)
    {
        for (; type is not null; type = type.BaseType)
        {
            foreach (var profile in All)
            {
                if (profile.Recognizes(type))
                {
                    return profile;
                }
            }
        }

        return _generic;
    }

    /// <summary>The profile of the provider that threw an exception.</summary>
    internal static DbProviderProfile OfFailure(Exception failure) =>
        For((Chain(failure).OfType<DbException>().FirstOrDefault(cause => cause is not DbPoolException) ?? failure).GetType());

    /// <summary>The profile of the connections that a factory creates.</summary>
    internal static DbProviderProfile Of(DbProviderFactory factory)
    {
        using var connection = factory.CreateConnection();
        return For(connection?.GetType());
    }

    /// <summary>The profile of the connections of a data source.</summary>
    internal static DbProviderProfile Of(DbDataSource source)
    {
        using var connection = source.CreateConnection();
        return For(connection.GetType());
    }

    /// <summary>The list of sessions that the members of a <see cref="ServerBudget"/> read; null if there is none.</summary>
    internal virtual SessionLister? Sessions => null;

    /// <summary>A closed connection of a data source over this provider.</summary>
    // Dapper and others recognize a database by the unqualified name of the connection's type: Dapper passes an array to
    // PostgreSQL as one parameter only if that is the provider's (its FeatureSupport), and Dapper.Contrib chooses its SQL so.
    // There is no other way to inform them.
    internal virtual PooledConnection CreateConnection(PooledDataSource source) => new(source);

    /// <summary>
    /// Whether the provider has a separate pool for each host that a connection string in its own spelling lists.
    /// </summary>
    internal virtual bool HasPoolPerHost(string connectionString) => false;

    /// <summary>The hosts of a connection string with several, if a <see cref="ServerSet{TServer}"/> can choose.</summary>
    internal virtual HostList? SplitHosts(DbProviderFactory factory, string connectionString) => null;

    /// <summary>
    /// The object that keeps the types of the database for connections of a data source; a new one if each connection loads them.
    /// </summary>
    internal virtual object KeeperOfTypes(DbDataSource source) => source;

    /// <summary>
    /// Whether the provider knows a keyword although its builder of connection strings knows only those that are set.
    /// </summary>
    internal virtual bool HasKeyword(string keyword) => false;

    /// <summary>Sets the parts of a credential that are not null.</summary>
    internal virtual void SetCredential(DbConnectionStringBuilder builder, DbCredential credential)
    {
        ProviderStrings.Set(builder, credential.UserName, "Username", "User ID", "User Id", "UserID", "User", "UID");
        ProviderStrings.Set(builder, credential.Password, "Password", "PWD");
    }

    /// <summary>Whether the provider prepares statements of a connection automatically.</summary>
    internal virtual bool PreparesAutomatically(DbConnection connection) => false;

    /// <summary>Makes a connection load the types of the database again.</summary>
    internal virtual ValueTask ReloadTypesAsync(DbConnection connection, CancellationToken cancellationToken) => default;

    /// <summary>
    /// Makes the provider's pools close the sessions that belong to a connection, when they are no longer in use. Called before
    /// the connection is disposed.
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <param name="forGood">Whether its own session is to be closed too.</param>
    internal virtual void ReleaseSessions(DbConnection connection, bool forGood)
    {
    }

    /// <summary>The default reset of pools with a factory and a connection string, if <see cref="ResetsAlong"/>.</summary>
    internal virtual SessionReset ResetOfOwnPool => SessionReset.Provider;

    /// <summary>
    /// Whether opening a connection from the provider's pool detects that its session has ended, and begins another one.
    /// </summary>
    internal virtual bool DetectsLossAtOpen => false;

    /// <summary>
    /// Whether a connection in a provider pool of its own is leased as another object each time: the provider's objects have
    /// settings that must not reach the next user.
    /// </summary>
    internal virtual bool RenewsLeases => false;

    /// <summary>
    /// Whether a cancelled or timed-out statement has ended at the server when the provider throws, unless the connection is
    /// closed.
    /// </summary>
    internal virtual bool ConfirmsCancellation => false;

    /// <summary>The isolation level that transactions may have without leaving it behind in the session.</summary>
    internal virtual IsolationLevel DefaultIsolation => IsolationLevel.Serializable;

    /// <summary>Whether data sources like this one have a pool of the provider together.</summary>
    // The data source of the runtime only creates connections.
    internal virtual bool SharesPool(DbDataSource source) => source.GetType().Assembly == typeof(DbDataSource).Assembly;

    /// <summary>A delegate that creates data sources, each with a provider pool of its own, for one connection.</summary>
    /// <param name="factory">The provider.</param>
    /// <param name="connectionString">Its connection string.</param>
    /// <param name="configure">Sets on each closed connection what the connection string cannot hold; null for nothing.</param>
    internal virtual Func<DbDataSource> SourcesOfOne(
        DbProviderFactory factory, string connectionString, Action<DbConnection>? configure)
    {
        var pooled = ProviderStrings.WithPoolOfOne(factory, connectionString);
        return () => DelegatingSource.Of(factory.CreateDataSource(pooled), configure);
    }

    /// <summary>Whether an exception or one of its causes is a timeout.</summary>
    // A command timeout may be reported with the error WAIT_TIMEOUT of Windows as the inner exception, on every system.
    private protected static bool IsTimeout(Exception exception) =>
        Chain(exception).Any(cause => cause is TimeoutException or Win32Exception { NativeErrorCode: 258 });

    private protected static bool IsBrokenLine(Exception exception) =>
        Chain(exception).Any(cause => cause is Win32Exception or IOException);

    /// <summary>The number of the server's error, where the provider has a property of that name for it.</summary>
    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "If the property was trimmed away, a lack of room counts as an outage.")]
    private protected static int? ErrorNumberOf(Exception failure) =>
        failure.GetType().GetProperty("Number")?.GetValue(failure) as int?;

    /// <summary>Closes the sessions that the provider keeps for the connection string of a connection.</summary>
    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "If the method was trimmed away, a session stays open for minutes or until the end.")]
    internal static void ClearPool(DbConnection connection) =>
        connection.GetType().GetMethod("ClearPool", [connection.GetType()])?.Invoke(null, [connection]);

    private protected virtual async ValueTask<bool> CanBeginAsync(DbConnection connection, CancellationToken cancellationToken)
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

    internal static IEnumerable<Exception> Chain(Exception exception)
    {
        for (var cause = exception; cause is not null; cause = cause.InnerException)
        {
            yield return cause;
        }
    }
}
