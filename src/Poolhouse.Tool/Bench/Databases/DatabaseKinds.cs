namespace Poolhouse.Tool.Bench.Databases;

/// <summary>The databases by name.</summary>
internal static class DatabaseKinds
{
    private static readonly (DatabaseKind Kind, string Title, string Slug, string Provider)[] _all =
    [
        (DatabaseKind.Sqlite, "SQLite", "sqlite", "sqlite"),
        (DatabaseKind.PostgreSql, "PostgreSQL", "postgresql", "npgsql"),
        (DatabaseKind.SqlServer, "SQL Server", "sqlserver", "sqlserver"),
        (DatabaseKind.MySql, "MySQL", "mysql", "mysql"),
        (DatabaseKind.Odbc, "ODBC", "odbc", "odbc"),
        (DatabaseKind.DuckDb, "DuckDB", "duckdb", "duckdb"),
        (DatabaseKind.Firebird, "Firebird", "firebird", "firebird"),
    ];

    /// <summary>The names of the providers on the command line.</summary>
    public static IReadOnlyList<string> Providers { get; } = [.. _all.Select(each => each.Provider)];

    /// <summary>The database of a provider.</summary>
    public static DatabaseKind OfProvider(string provider) => _all.Single(each => each.Provider == provider).Kind;

    /// <summary>The spelling that its makers use.</summary>
    public static string Title(this DatabaseKind kind) => _all.Single(each => each.Kind == kind).Title;

    /// <summary>For names of files and studies.</summary>
    public static string Slug(this DatabaseKind kind) => _all.Single(each => each.Kind == kind).Slug;
}
