using System.Data.Odbc;
using System.Text.RegularExpressions;
using DuckDB.NET.Data;
using FirebirdSql.Data.FirebirdClient;
using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using MySqlConnector;
using Npgsql;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>Describes database errors, with the server's text if it cannot contain a secret.</summary>
internal static partial class DatabaseErrors
{
    /// <summary>The server's message with its code; for other errors, only the code or the type.</summary>
    public static string Of(Exception exception) => Innermost(exception) switch
    {
        PostgresException server => $"{server.SqlState}: {server.MessageText}",
        SqliteException sqlite => sqlite.Message,
        SqlException { Class: < 20 } server => $"{Units.Count(server.Number)}: {server.Message}",
        MySqlException { Number: > 0 } server => $"{Units.Count(server.Number)}: {server.Message}",
        FbException { ErrorCode: not 0 } server => $"{Units.Count(server.ErrorCode)}: {server.Message}",

        // A driver's text may contain what it does not understand.
        OdbcException { Errors: [OdbcError first, ..] } => $"SQLSTATE {first.SQLState}",
        DuckDBException duck => OfDuckDb(duck.Message),
        System.Net.Sockets.SocketException socket => socket.SocketErrorCode.ToString(),
        var other => other.GetType().Name,
    };

    // Of a statement: "Binder Error: ...". Of a connection string, whose values may follow: "DuckDBOpen failed: IO Error: ...".
    private static string OfDuckDb(string message)
    {
        var kind = DuckDbKind().Match(message);
        return !kind.Success ? nameof(DuckDBException)
            : kind.Index == 0 ? message.Split('\n')[0]
            : kind.Value;
    }

    [GeneratedRegex(@"\w+ Error(?=:)", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1000)]
    private static partial Regex DuckDbKind();

    /// <summary>Whether a statement was refused because it writes.</summary>
    public static bool IsWriteRefused(Exception exception) => Innermost(exception)
        is PostgresException { SqlState: PostgresErrorCodes.ReadOnlySqlTransaction }
        or SqliteException { SqliteErrorCode: SQLitePCL.raw.SQLITE_READONLY };

    private static Exception Innermost(Exception exception)
    {
        while (exception is not (PostgresException or SqliteException or SqlException { Class: < 20 }
                or MySqlException { Number: > 0 } or FbException or OdbcException or DuckDBException)
            && exception.InnerException is { } inner)
        {
            exception = inner;
        }

        return exception;
    }
}
