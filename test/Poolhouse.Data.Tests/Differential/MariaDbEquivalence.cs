using MySqlConnector;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Differential;

/// <summary>The operations of <see cref="ProviderEquivalence"/> through MySqlConnector on MariaDB.</summary>
public sealed class MariaDbEquivalence(MariaDbServer server)
{
    [Theory]
    [MemberData(nameof(ProviderEquivalence.Scripts), MemberType = typeof(ProviderEquivalence))]
    public async Task On_MariaDB(string script, bool isAsync)
    {
        var connectionString = await server.CreateDatabaseAsync();
        await using var own =
            new MySqlDataSource(connectionString.Replace("Pooling=false", "Pooling=true", StringComparison.Ordinal));
        await using var inner = new MySqlDataSource(connectionString);
        await using var pooled = PooledDataSource.Create(inner);
        await ProviderEquivalence.CompareAsync(script, own, pooled, isAsync, Dialect.MariaDb);
    }
}
