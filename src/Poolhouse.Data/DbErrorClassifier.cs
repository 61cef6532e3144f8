using System.ComponentModel;
using System.Data.Common;
using Poolhouse.Data.Resets;

namespace Poolhouse.Data;

/// <summary>Determines what an exception of a provider means for its connection and for the server. Thread safe.</summary>
/// <remarks>
/// <para>
/// Derive from this class for a provider whose <see cref="DbException.SqlState"/> is empty or which has error codes of its own,
/// and call the base class for all other exceptions. If the classification is too severe, connections are replaced needlessly; if
/// it is too lenient, a dead connection is reused until its state or a validation reveals the fault.
/// </para>
/// <para>
/// The default checks the SQLSTATE (ISO/IEC 9075 class 08, and PostgreSQL's appendix A: classes 57P, 25P03, 58 and XX), then the
/// inner exceptions for broken sockets and streams, and for the SQLSTATE of a statement that the provider cancelled at its
/// timeout. Cancellations and timeouts affect one connection, not the server. A time limit of the server (PostgreSQL's
/// <c>statement_timeout</c>, MariaDB's <c>max_statement_time</c>) ends only the statement. SQLite's errors about the file (I/O
/// error, corrupt, not a database, moved) affect the connection.
/// </para>
/// </remarks>
public class DbErrorClassifier
{
    /// <summary>The default classifier, by SQLSTATE and socket errors.</summary>
    public static DbErrorClassifier Default { get; } = new();

    /// <summary>Determines what an exception thrown by a command, a reader or a transaction means for the connection.</summary>
    /// <param name="exception">The exception.</param>
    /// <returns>The severity of the error.</returns>
    public virtual DbErrorSeverity Classify(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return exception switch
        {
            OperationCanceledException => DbErrorSeverity.Connection,
            DbException { SqlState: { Length: 5 } state } failure => OfState(state, failure),
            DbException failure when SqliteErrors.AreAboutFile(failure) => DbErrorSeverity.Connection,
            _ when IsTimeout(exception) => DbErrorSeverity.Connection,
            _ when IsBrokenLine(exception) => DbErrorSeverity.Server,

            // MySqlConnector reports a command timeout with the error of the statement that it cancelled as the inner exception.
            DbException { InnerException: DbException { SqlState: { Length: 5 } state } inner } => OfState(state, inner),
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
    /// True to report the failure to callers at once instead of letting them wait for a retry. By default true for every
    /// <see cref="DbException"/> that its provider does not mark as transient and that is neither a timeout nor a broken
    /// connection, and for exceptions of a provider about its settings.
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
    /// True to let callers wait, up to their timeout, for a connection to be returned: this is no outage. By default true for
    /// SQLSTATE 53300 (PostgreSQL) and for the errors 1040, 1203 and 1226 (MySQL, MariaDB).
    /// </returns>
    public virtual bool LacksRoom(Exception openFailure)
    {
        ArgumentNullException.ThrowIfNull(openFailure);

        // MySqlConnector and MySql.Data both store the number of the error there.
        return openFailure is DbException failure
            && (string.Equals(failure.SqlState, "53300", StringComparison.Ordinal)
                || failure.Data["Server Error Code"] is 1040 or 1203 or 1226);
    }

    private static DbErrorSeverity OfState(string state, DbException failure) => state switch
    {
        // Cancelled on request: the request may still be on its way when the next statement runs. PostgreSQL has the same code
        // for its statement_timeout. Npgsql throws this exception only if it has sent no request, by itself or for its user:
        // otherwise that of a cancellation or a timeout.
        "57014" => failure.GetType().FullName is "Npgsql.PostgresException"
            ? DbErrorSeverity.Statement
            : DbErrorSeverity.Connection,

        // MariaDB: the error of a statement or session that was killed, whose number is 1317, and of max_statement_time. Both
        // providers for MySQL keep the number there.
        "70100" => failure.Data["Server Error Code"] is 1969 ? DbErrorSeverity.Statement : DbErrorSeverity.Connection,

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

    // SqlClient reports a command timeout with the error WAIT_TIMEOUT of Windows as the inner exception, on every system.
    private static bool IsTimeout(Exception exception) =>
        Chain(exception).Any(cause => cause is TimeoutException or Win32Exception { NativeErrorCode: 258 });

    private static bool IsBrokenLine(Exception exception) =>
        Chain(exception).Any(cause => cause is Win32Exception or IOException);

    private static IEnumerable<Exception> Chain(Exception exception)
    {
        for (var cause = exception; cause is not null; cause = cause.InnerException)
        {
            yield return cause;
        }
    }
}
