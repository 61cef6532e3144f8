namespace Poolhouse.Tool.Bench.Databases;

/// <summary>The databases by name.</summary>
internal static class DatabaseKinds
{
    /// <summary>The spelling that its makers use.</summary>
    public static string Title(this DatabaseKind kind) => kind == DatabaseKind.Sqlite ? "SQLite" : "PostgreSQL";

    /// <summary>For names of files and studies.</summary>
    public static string Slug(this DatabaseKind kind) => kind == DatabaseKind.Sqlite ? "sqlite" : "postgresql";
}
