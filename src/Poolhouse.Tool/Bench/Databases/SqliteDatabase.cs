using System.Data.Common;
using System.Globalization;
using Microsoft.Data.Sqlite;
using Poolhouse.Data;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>SQLite over a file.</summary>
internal sealed class SqliteDatabase : Database
{
    private readonly string _connectionString;
    private readonly DirectoryInfo? _folder;

    private SqliteDatabase(string connectionString, DirectoryInfo? folder)
    {
        _connectionString = connectionString;
        _folder = folder;
    }

    public override DatabaseKind Kind => DatabaseKind.Sqlite;

    public override string Name => $"SQLite {SQLitePCL.raw.sqlite3_libversion().utf8_to_string()}";

    /// <summary>The provider's asynchronous methods do their work on the caller's thread.</summary>
    public override bool IsAsynchronous => false;

    public override string BriefQuery => Counting(8000);

    public override string WorkingQuery => Counting(1200);

    /// <summary>The folder that is removed with the database, if it is a temporary one.</summary>
    internal string? Folder => _folder?.FullName;

    protected override SessionReset ResetLikeProvider => SessionReset.RollbackOnly;

    /// <summary>An empty database in a temporary file.</summary>
    public static SqliteDatabase CreateTemporary()
    {
        var folder = Directory.CreateTempSubdirectory("poolhouse-sqlite-");
        var file = Path.Combine(folder.FullName, "bench.db");
        var database = new SqliteDatabase(new SqliteConnectionStringBuilder { DataSource = file }.ConnectionString, folder);
        try
        {
            using var source = database.OpenWithoutPool("");
            using var command = source.CreateCommand("CREATE TABLE item (id INTEGER PRIMARY KEY)");
            command.ExecuteNonQuery();
            return database;
        }
        catch
        {
            database.Dispose();
            throw;
        }
    }

    /// <summary>The user's own file.</summary>
    /// <param name="connection">How to open it.</param>
    /// <param name="isReadOnly">Whether nothing may be changed through it. A file that is not there is not made in any
    /// case.</param>
    public static SqliteDatabase Of(SqliteConnectionStringBuilder connection, bool isReadOnly) => new(
        new SqliteConnectionStringBuilder(connection.ConnectionString)
        {
            Mode = isReadOnly ? SqliteOpenMode.ReadOnly : SqliteOpenMode.ReadWrite,
        }.ConnectionString,
        folder: null);

    public override DbDataSource OpenWithoutPool(string tag) => ProviderSource.OfSqlite(StringFor(pooling: false));

    /// <summary>All connections of this process to the file, whatever their tag.</summary>
    public override int? CountConnections(string tag) => OpenFiles.Count(Path.GetFullPath(
        new SqliteConnectionStringBuilder(_connectionString).DataSource));

    public override int? CountRoom() => null;

    public override void Dispose() => _folder?.Delete(recursive: true);

    // The provider's pool has no limit.
    protected override DbDataSource OpenProviderPool(SourceSettings settings) =>
        ProviderSource.OfSqlite(StringFor(pooling: true));

    protected override DbDataSource OpenPoolhouse(SourceSettings settings) =>
        PoolhouseSource.Create(SqliteFactory.Instance, _connectionString, settings);

    private string StringFor(bool pooling) =>
        new SqliteConnectionStringBuilder(_connectionString) { Pooling = pooling }.ConnectionString;

    private static string Counting(int numbers) => string.Create(
        CultureInfo.InvariantCulture,
        $"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {numbers}) SELECT sum(i) FROM n");
}
