using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using Npgsql;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>Describes database errors, with the server's text if it cannot contain a secret.</summary>
internal static class DatabaseErrors
{
    /// <summary>The server's message with its code; for other errors, only the code or the type.</summary>
    public static string Of(Exception exception) => Innermost(exception) switch
    {
        PostgresException server => $"{server.SqlState}: {server.MessageText}",
        SqliteException sqlite => sqlite.Message,
        SqlException { Class: < 20 } server => $"{Units.Count(server.Number)}: {server.Message}",
        System.Net.Sockets.SocketException socket => socket.SocketErrorCode.ToString(),
        var other => other.GetType().Name,
    };

    /// <summary>Whether a statement was refused because it writes.</summary>
    public static bool IsWriteRefused(Exception exception) => Innermost(exception)
        is PostgresException { SqlState: PostgresErrorCodes.ReadOnlySqlTransaction }
        or SqliteException { SqliteErrorCode: SQLitePCL.raw.SQLITE_READONLY };

    private static Exception Innermost(Exception exception)
    {
        while (exception is not (PostgresException or SqliteException or SqlException { Class: < 20 })
            && exception.InnerException is { } inner)
        {
            exception = inner;
        }

        return exception;
    }
}
