using System.Data.Common;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Differential;

/// <summary>The same operations through the provider's own data source and through a pooled one give the same record.</summary>
public sealed class ProviderEquivalence(PostgresServer server)
{
    private static readonly Dictionary<string, Func<CallRecorder, Task>> _scripts = new(
        ConnectionScripts.All.Concat(CommandScripts.All).Concat(ReaderScripts.All).Concat(TransactionScripts.All)
            .Concat(StateScripts.All).Concat(ContractScripts.All).Concat(DapperScripts.All),
        StringComparer.Ordinal);

    public static TheoryData<string, bool> Scripts => Rows(_scripts.Keys);

    public static TheoryData<string, bool> ScriptsAboutConnections =>
        Rows(ConnectionScripts.All.Concat(StateScripts.All).Concat(ContractScripts.All).Select(script => script.Key));

    [Theory]
    [MemberData(nameof(Scripts))]
    public async Task On_SQLite(string script, bool isAsync)
    {
        using var first = new SqliteFile();
        using var second = new SqliteFile();
        await using var own = SqliteFactory.Instance.CreateDataSource(first.ConnectionString);
        await using var inner = SqliteFactory.Instance.CreateDataSource(second.ConnectionString);
        await using var pooled = PooledDataSource.Create(inner);
        await CompareAsync(script, own, pooled, isAsync, Dialect.Sqlite);
    }

    // Over another data source, only the opening of connections differs from the test below.
    [Theory]
    [MemberData(nameof(ScriptsAboutConnections))]
    public async Task On_PostgreSQL_over_a_data_source(string script, bool isAsync)
    {
        await using var own = NpgsqlDataSource.Create(await server.GetConnectionStringAsync());
        await using var inner = NpgsqlDataSource.Create(await server.GetConnectionStringAsync() + ";Pooling=false");
        await using var pooled = PooledDataSource.Create(inner);
        await CompareAsync(script, own, pooled, isAsync, Dialect.PostgreSql);
    }

    // The default with Npgsql: each connection out of a provider pool of its own.
    [Theory]
    [MemberData(nameof(Scripts))]
    public async Task On_PostgreSQL_by_connection_string(string script, bool isAsync)
    {
        await using var own = NpgsqlDataSource.Create(await server.GetConnectionStringAsync());
        await using var pooled = PooledDataSource.Create(NpgsqlFactory.Instance, await server.GetConnectionStringAsync());
        await CompareAsync(script, own, pooled, isAsync, Dialect.PostgreSql);
    }

    private static TheoryData<string, bool> Rows(IEnumerable<string> names)
    {
        var data = new TheoryData<string, bool>();
        foreach (var name in names)
        {
            data.Add(name, false);
            data.Add(name, true);
        }

        return data;
    }

    internal static async Task CompareAsync(
        string script, DbDataSource own, PooledDataSource pooled, bool isAsync, Dialect dialect)
    {
        var expected = new CallRecorder(own, isAsync, dialect);
        await _scripts[script](expected);
        var actual = new CallRecorder(pooled, isAsync, dialect);
        await _scripts[script](actual);
        Assert.NotEmpty(expected.Log);
        Assert.Equal(expected.Log, actual.Log);
        Assert.Equal(0, pooled.GetStatistics().Leased);
    }
}
