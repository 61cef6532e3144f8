namespace Poolhouse.Data.Tests.Differential;

/// <summary>The databases whose providers are compared with pools over them.</summary>
public enum Dialect
{
    Sqlite,
    PostgreSql,
    MariaDb,
    SqlServer,
}
