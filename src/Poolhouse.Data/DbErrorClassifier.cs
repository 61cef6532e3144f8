using System.Data.Common;

namespace Poolhouse.Data;

/// <summary>Determines what an exception of a provider means for its connection and for the server. Thread safe.</summary>
/// <remarks>
/// <para>
/// Derive from this class to change single decisions for an application, and call the base class for all other exceptions: there,
/// the <see cref="DbProviderProfile"/> of the provider that threw the exception decides. If the classification is too severe,
/// connections are replaced needlessly; if it is too lenient, a dead connection is reused until its state or a validation reveals
/// the fault.
/// </para>
/// <para>
/// The profiles check the SQLSTATE (ISO/IEC 9075 class 08, and PostgreSQL's appendix A: classes 57P, 25P03, 58 and XX), then the
/// inner exceptions for broken sockets and streams, and for the SQLSTATE of a statement that the provider cancelled at its
/// timeout. Cancellations and timeouts affect one connection, not the server. A time limit of the server (PostgreSQL's
/// <c>statement_timeout</c>, MariaDB's <c>max_statement_time</c>) ends only the statement. SQLite's errors about the file (I/O
/// error, corrupt, not a database, moved) affect the connection. Writes that a server refuses because it is read-only (25006 of
/// PostgreSQL, 1290 and 1836 of MySQL and MariaDB, 3906 of SQL Server) show its role.
/// </para>
/// </remarks>
public class DbErrorClassifier
{
    /// <summary>The default classifier: the profile of the provider that threw the exception decides.</summary>
    public static DbErrorClassifier Default { get; } = new();

    /// <summary>Determines what an exception thrown by a command, a reader or a transaction means for the connection.</summary>
    /// <param name="exception">The exception.</param>
    /// <returns>The severity of the error.</returns>
    public virtual DbErrorSeverity Classify(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return ProfileOf(exception).Classify(exception);
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
        return ProfileOf(openFailure).IsPermanent(openFailure);
    }

    /// <summary>
    /// Determines whether a connection could not be opened only because the server has no room for another session.
    /// </summary>
    /// <param name="openFailure">The exception.</param>
    /// <returns>
    /// True to let callers wait, up to their timeout, for a connection to be returned: this is no outage. By default true for
    /// SQLSTATE 53300 (PostgreSQL) and for the errors 1040, 1203 and 1226 (MySQL, MariaDB), 10928, 10936 and 17809 (SQL Server),
    /// and 18, 20, 2391, 12516, 12519 and 12520 (Oracle).
    /// </returns>
    public virtual bool LacksRoom(Exception openFailure)
    {
        ArgumentNullException.ThrowIfNull(openFailure);
        return ProfileOf(openFailure).LacksRoom(openFailure);
    }

    private protected virtual DbProviderProfile ProfileOf(Exception exception) => DbProviderProfile.OfFailure(exception);
}
