using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>The data source of a provider's connections whose connection string is not set yet.</summary>
internal sealed class UnsetDataSource(DbProviderFactory factory) : DbDataSource
{
    public override string ConnectionString => string.Empty;

    protected override DbConnection CreateDbConnection() =>
        factory.CreateConnection()
            ?? throw new NotSupportedException($"{factory.GetType()} creates no connections. Use the factory of a provider.");
}
