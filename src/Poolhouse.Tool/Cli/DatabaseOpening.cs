using System.ComponentModel;
using System.Data.Common;
using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Tool.Bench.Databases;

namespace Poolhouse.Tool.Cli;

/// <summary>Opens the databases that the user named; error messages never contain the connection string.</summary>
internal static class DatabaseOpening
{
    private const string Setting = "--connection";
    private const string PostgresLike = "Host=localhost;Username=me;Database=mine";
    private const string SqliteLike = "Data Source=mine.db";
    private const string SqlServerLike = "Server=localhost;User ID=me;Database=mine";

    /// <summary>The databases of <c>bench</c>.</summary>
    /// <param name="kinds">Which are needed.</param>
    /// <param name="postgres">The user's server; null: one of our own is started.</param>
    /// <param name="sqlServer">The user's server; null: a model of one in this process.</param>
    /// <param name="connection">The user's database of any other kind.</param>
    /// <param name="cancellation">Cancels the operation.</param>
    /// <exception cref="UsageException">One of them cannot be reached.</exception>
    public static DatabaseSet Open(
        IReadOnlyList<DatabaseKind> kinds, string? postgres, string? sqlServer, string? connection,
        CancellationToken cancellation)
    {
        var databases = new DatabaseSet();
        try
        {
            foreach (var kind in kinds)
            {
                databases.Add(kind switch
                {
                    DatabaseKind.Sqlite => CreateSqlite(),
                    DatabaseKind.SqlServer => OpenSqlServer("--sqlserver", sqlServer),
                    DatabaseKind.PostgreSql => OpenPostgres(postgres, cancellation),
                    _ => OpenOther(Driver.Of(kind)!, connection),
                });
            }

            return databases;
        }
        catch
        {
            databases.Dispose();
            throw;
        }
    }

    private static SqliteDatabase CreateSqlite()
    {
        try
        {
            return SqliteDatabase.CreateTemporary();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or DbException)
        {
            throw new UsageException(
                $"No temporary SQLite database could be created in '{Path.GetTempPath()}'; set TMPDIR to another folder. "
                + $"{exception.Message}",
                exception);
        }
    }

    /// <summary>The database of <c>size</c>.</summary>
    /// <exception cref="UsageException">It cannot be reached.</exception>
    public static Database OpenUsers(DatabaseKind kind, string? connection, bool allowWrites)
    {
        if (connection is null && kind != DatabaseKind.SqlServer)
        {
            throw new UsageException($"{Setting} is missing; only --provider sqlserver has a server of its own. " +
                "See 'poolhouse size --help'.");
        }

        if (connection is not null && !allowWrites && kind is not (DatabaseKind.Sqlite or DatabaseKind.PostgreSql))
        {
            throw new UsageException(
                $"On {kind.Title()}, no session can be kept read-only. Add --allow-writes if the query changes nothing, "
                + "or may change data.");
        }

        return kind switch
        {
            DatabaseKind.Sqlite => CheckedOrDisposed(
                Setting,
                SqliteDatabase.Of(CheckFile(Setting, Read(Setting, connection!, SqliteLike, ReadSqlite)), !allowWrites)),
            DatabaseKind.PostgreSql => CheckedOrDisposed(
                Setting, PostgresDatabase.Of(Read(Setting, connection!, PostgresLike, ReadPostgres), !allowWrites)),
            DatabaseKind.SqlServer => OpenSqlServer(Setting, connection),
            _ => OpenOther(Driver.Of(kind)!, connection!),
        };
    }

    private static Database OpenOther(Driver driver, string? connection)
    {
        if (connection is null)
        {
            throw new UsageException(
                $"{driver.Kind.Title()} needs --provider {driver.Kind.Slug()} and {Setting}, such as '{driver.Example}'.");
        }

        try
        {
            return CheckedOrDisposed(
                Setting, new UserDatabase(driver, Read(Setting, connection, driver.Example, driver.Parse).ConnectionString));
        }
        catch (Exception exception) when (exception is DllNotFoundException or { InnerException: DllNotFoundException })
        {
            throw new UsageException(
                $"{driver.Kind.Title()} needs {driver.Library}, a native library that was not found. Install it, or name its folder in "
                + "LD_LIBRARY_PATH (on Windows in PATH, on macOS in DYLD_LIBRARY_PATH).",
                exception);
        }
    }

    private static T Read<T>(string setting, string text, string example, Func<string, T> read)
    {
        try
        {
            return read(text);
        }
        catch (Exception exception) when (exception is ArgumentException or FormatException or InvalidOperationException)
        {
#pragma warning disable MA0054 // Neither its message nor itself is passed on: what it complains about may be part of a password.
            throw new UsageException(
                $"{setting} is not a connection string that the provider understands. Example: '{example}'.");
#pragma warning restore MA0054
        }
    }

    private static NpgsqlConnectionStringBuilder ReadPostgres(string text) => new(text);

    private static SqliteConnectionStringBuilder ReadSqlite(string text) => new(text);

    private static SqlConnectionStringBuilder ReadSqlServer(string text) => new(text);

    private static SqliteConnectionStringBuilder CheckFile(string setting, SqliteConnectionStringBuilder connection)
    {
        var isFile = connection.Mode != SqliteOpenMode.Memory
            && !string.IsNullOrEmpty(connection.DataSource)
            && !connection.DataSource.Contains(":memory:", StringComparison.Ordinal);
        return isFile
            ? connection
            : throw new UsageException(
                $"{setting} names no file; in memory, each connection has its own database. Specify a file: 'Data Source='.");
    }

    private static Database CheckedOrDisposed(string setting, Database database)
    {
        try
        {
            using var source = database.OpenWithoutPool("poolhouse");
            using var connection = source.OpenConnection();
            Statement.Run(connection, database.SmallQuery);
            return database;
        }
        catch (Exception exception) when (exception is DbException or TimeoutException or System.Net.Sockets.SocketException)
        {
            database.Dispose();
            throw new UsageException($"{setting}: no connection could be opened ({DatabaseErrors.Of(exception)}).", exception);
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException or NotSupportedException)
        {
            database.Dispose();
#pragma warning disable MA0054 // As in Read: its message may contain a part of the connection string.
            throw new UsageException(
                $"{setting}: the provider refuses these settings ({exception.GetType().Name}). Specify a host, and remove " +
                "settings that need the provider's own pool, such as Multiplexing.");
#pragma warning restore MA0054
        }
    }

    private static Database OpenSqlServer(string setting, string? connection) => connection is null
        ? SqlServerDatabase.StartEmbedded()
        : CheckedOrDisposed(setting, SqlServerDatabase.Of(Read(setting, connection, SqlServerLike, ReadSqlServer)));

    private static Database OpenPostgres(string? connection, CancellationToken cancellation)
    {
        const string Postgres = "--postgres";
        if (connection is not null)
        {
            return CheckedOrDisposed(
                Postgres, PostgresDatabase.Of(Read(Postgres, connection, PostgresLike, ReadPostgres)));
        }

        try
        {
#pragma warning disable VSTHRD002 // A run is synchronous from here on: its thread is the one that measures.
            return PostgresDatabase.StartTemporaryAsync(cancellation).GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
        }
        catch (Exception exception) when (exception
            is InvalidOperationException or Win32Exception or IOException or UnauthorizedAccessException)
        {
            throw new UsageException(
                $"No temporary PostgreSQL server could be started; name a server of your own with {Postgres}. " +
                exception.Message,
                exception);
        }
    }
}
