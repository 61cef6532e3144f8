namespace Poolhouse.Tool.Bench.Databases;

/// <summary>The databases that can be measured.</summary>
internal enum DatabaseKind
{
    /// <summary>In this process, over a file.</summary>
    Sqlite,

    /// <summary>A server.</summary>
    PostgreSql,

    /// <summary>A server, or a model of one in this process.</summary>
    SqlServer,

    /// <summary>A server of the user's, also MariaDB.</summary>
    MySql,

    /// <summary>A database of the user's, through an ODBC driver.</summary>
    Odbc,

    /// <summary>In this process, over a file of the user's.</summary>
    DuckDb,

    /// <summary>A server of the user's.</summary>
    Firebird,
}
