using Microsoft.Data.SqlClient;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.Data.Tests.Differential;

/// <summary>The operations of <see cref="ProviderEquivalence"/> through SqlClient, each side on a model of SQL Server.</summary>
public sealed class SqlServerEquivalence
{
    [Theory]
    [MemberData(nameof(ProviderEquivalence.Scripts), MemberType = typeof(ProviderEquivalence))]
    public async Task On_SQL_Server(string script, bool isAsync)
    {
        await using var first = TdsServer.Start();
        await using var second = TdsServer.Start();
        await using var own = SqlClientFactory.Instance.CreateDataSource(first.ConnectionString);
        await using var pooled = PooledDataSource.Create(SqlClientFactory.Instance, second.ConnectionString);
        await ProviderEquivalence.CompareAsync(script, own, pooled, isAsync, Dialect.SqlServer);
    }
}
