using Microsoft.Data.Sqlite;
using Npgsql;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>What a database complained about, in its own words where those can hold no secret.</summary>
internal static class DatabaseErrors
{
    /// <summary>The server's own sentence with its code; of anything else the code or the kind alone.</summary>
    public static string Of(Exception exception) => Innermost(exception) switch
    {
        PostgresException server => $"{server.SqlState}: {server.MessageText}",
        SqliteException sqlite => sqlite.Message,
        System.Net.Sockets.SocketException socket => socket.SocketErrorCode.ToString(),
        var other => other.GetType().Name,
    };

    /// <summary>Whether a statement was refused because it writes.</summary>
    public static bool IsWriteRefused(Exception exception) => Innermost(exception)
        is PostgresException { SqlState: PostgresErrorCodes.ReadOnlySqlTransaction }
        or SqliteException { SqliteErrorCode: SQLitePCL.raw.SQLITE_READONLY };

    private static Exception Innermost(Exception exception)
    {
        while (exception is not (PostgresException or SqliteException) && exception.InnerException is { } inner)
        {
            exception = inner;
        }

        return exception;
    }
}
