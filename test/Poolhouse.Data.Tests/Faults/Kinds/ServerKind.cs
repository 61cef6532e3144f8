using System.Data.Common;

namespace Poolhouse.Data.Tests.Faults.Kinds;

/// <summary>What the fault and soak tests need of a database: how to connect, and the syntax of a few statements.</summary>
internal abstract class ServerKind
{
    public static ServerKind PostgreSql { get; } = new PostgreSqlKind();

    public static ServerKind MariaDb { get; } = new MariaDbKind();

    /// <summary>Connections without the provider's pool, whose sessions the server lists by this name.</summary>
    public abstract DbDataSource CreateSource(string connectionString, string sessionName);

    /// <summary>The same connection string for another address, such as that of a proxy.</summary>
    public abstract string At(string connectionString, string host, int port);

    public abstract int PortOf(string connectionString);

    public abstract ISessionWatch Watch(string connectionString);

    /// <summary>The number of a session on the server.</summary>
    public abstract int SessionOf(DbConnection connection);

    /// <summary>Whether the provider cancels a statement on one more session, which is not the pool's.</summary>
    public virtual bool CancelsOnASession => false;

    public abstract string SelectNumber(long number);

    public abstract string Sleep(int seconds);

    /// <summary>A query for a text and the owner that a session remembers, which takes a number of milliseconds.</summary>
    public abstract string SelectWithOwner(string text, int milliseconds);

    /// <summary>Statements that leave an owner behind, each in another way.</summary>
    public abstract IReadOnlyList<string> Messes { get; }

    /// <summary>Limits the time of the next statements to milliseconds.</summary>
    public abstract string LimitStatements { get; }

    /// <summary>Whether the server ended a statement: on request, or because of a limit.</summary>
    public abstract bool IsStatementCancelled(DbException failure);

    /// <summary>Whether the server ended a statement because of <see cref="LimitStatements"/>, which keeps the session.</summary>
    public abstract bool IsTimeLimit(Exception failure);

    /// <summary>
    /// Whether the answer to <see cref="Sleep"/> or <see cref="SelectWithOwner"/> shows that the server ended the statement.
    /// </summary>
    public virtual bool IsInterrupted(object? answer) => false;
}
