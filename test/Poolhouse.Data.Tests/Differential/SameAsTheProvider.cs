using System.Data.Common;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Differential;

/// <summary>The same operations through the provider's own data source and through a pooled one give the same record.</summary>
public sealed class SameAsTheProvider(PostgresServer server)
{
    private static readonly Dictionary<string, Func<Access, Task>> _scripts = new(
        ConnectionScripts.All.Concat(CommandScripts.All).Concat(ReaderScripts.All).Concat(TransactionScripts.All).Concat(DapperScripts.All),
        StringComparer.Ordinal);

    public static TheoryData<string, bool> Scripts
    {
        get
        {
            var data = new TheoryData<string, bool>();
            foreach (var name in _scripts.Keys)
            {
                data.Add(name, false);
                data.Add(name, true);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Scripts))]
    public async Task On_SQLite(string script, bool isAsync)
    {
        using var first = new SqliteFile();
        using var second = new SqliteFile();
        await using var own = SqliteFactory.Instance.CreateDataSource(first.ConnectionString);
        await using var inner = SqliteFactory.Instance.CreateDataSource(second.ConnectionString);
        await CompareAsync(_scripts[script], own, inner, isAsync, isPostgres: false);
    }

    [Theory]
    [MemberData(nameof(Scripts))]
    public async Task On_PostgreSQL(string script, bool isAsync)
    {
        await using var own = NpgsqlDataSource.Create(await server.GetConnectionStringAsync());
        await using var inner = NpgsqlDataSource.Create(await server.GetConnectionStringAsync() + ";Pooling=false");
        await CompareAsync(_scripts[script], own, inner, isAsync, isPostgres: true);
    }

    private static async Task CompareAsync(Func<Access, Task> script, DbDataSource own, DbDataSource inner, bool isAsync, bool isPostgres)
    {
        await using var pooled = PooledDataSource.Create(inner);
        var expected = new Access(own, isAsync, isPostgres);
        await script(expected);
        var actual = new Access(pooled, isAsync, isPostgres);
        await script(actual);
        Assert.NotEmpty(expected.Log);
        Assert.Equal(expected.Log, actual.Log);
        Assert.Equal(0, pooled.GetStatistics().Leased);
    }
}
