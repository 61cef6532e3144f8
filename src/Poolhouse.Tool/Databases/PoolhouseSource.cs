using System.Data.Common;

namespace Poolhouse.Tool.Databases;

/// <summary>Ours, with the default settings except where a study says otherwise.</summary>
internal static class PoolhouseSource
{
    public static DbDataSource Create(DbProviderFactory factory, string connectionString, SourceSettings settings) =>
        factory.CreateDataSource(connectionString);
}
