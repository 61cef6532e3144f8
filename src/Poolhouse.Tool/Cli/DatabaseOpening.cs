using System.Data.Common;
using Npgsql;
using Poolhouse.Tool.Databases;

namespace Poolhouse.Tool.Cli;

/// <summary>Opens the databases that the user named, and says what is wrong without a word of the connection string.</summary>
internal static class DatabaseOpening
{
    /// <summary>The databases of <c>bench</c>.</summary>
    /// <param name="kinds">Which are needed.</param>
    /// <param name="postgres">The user's server; null: one of our own is started.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="UsageException">One of them cannot be reached.</exception>
    public static DatabaseSet Open(IReadOnlyList<DatabaseKind> kinds, string? postgres, CancellationToken cancellation)
    {
        var databases = new DatabaseSet();
        try
        {
            foreach (var kind in kinds)
            {
                databases.Add(kind == DatabaseKind.Sqlite
                    ? SqliteDatabase.CreateTemporary()
                    : OpenPostgres(postgres, cancellation));
            }

            return databases;
        }
        catch
        {
            databases.Dispose();
            throw;
        }
    }

    /// <summary>Reads a connection string of Npgsql's.</summary>
    /// <param name="setting">The option that it comes from.</param>
    /// <param name="text">The connection string.</param>
    /// <exception cref="UsageException">It cannot be read.</exception>
    public static NpgsqlConnectionStringBuilder ReadPostgres(string setting, string text)
    {
        try
        {
            return new NpgsqlConnectionStringBuilder(text);
        }
        catch (Exception exception) when (exception is ArgumentException or FormatException)
        {
#pragma warning disable MA0054 // Neither its message nor itself is passed on: what it complains about may be part of a password.
            throw new UsageException(
                $"{setting} is no connection string that Npgsql understands. "
                + "It looks like 'Host=localhost;Username=me;Database=mine'.");
#pragma warning restore MA0054
        }
    }

    /// <summary>Makes sure that a database answers.</summary>
    /// <exception cref="UsageException">It does not.</exception>
    public static void Check(string setting, Database database)
    {
        try
        {
            using var source = database.OpenWithoutPool("poolhouse");
            using var connection = source.OpenConnection();
            Statement.Run(connection, Database.SmallQuery);
        }
        catch (Exception exception) when (exception is DbException or TimeoutException or System.Net.Sockets.SocketException)
        {
            throw new UsageException($"{setting}: no connection could be opened ({Complaints.Of(exception)}).", exception);
        }
    }

    private static PostgresDatabase OpenPostgres(string? connection, CancellationToken cancellation)
    {
        if (connection is null)
        {
#pragma warning disable VSTHRD002 // A run is synchronous from here on: its thread is the one that measures.
#pragma warning disable CA2000 // The set disposes it.
            return PostgresDatabase.StartTemporaryAsync(cancellation).GetAwaiter().GetResult();
#pragma warning restore CA2000
#pragma warning restore VSTHRD002
        }

        var database = PostgresDatabase.Of(ReadPostgres("--postgres", connection));
        try
        {
            Check("--postgres", database);
            return database;
        }
        catch
        {
            database.Dispose();
            throw;
        }
    }
}
