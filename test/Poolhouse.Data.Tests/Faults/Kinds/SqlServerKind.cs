using System.Data.Common;
using System.Globalization;
using Microsoft.Data.SqlClient;
using Poolhouse.Data.Providers;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.Data.Tests.Faults.Kinds;

/// <summary>A model of SQL Server, with one pool. It has no soak.</summary>
internal sealed class SqlServerKind(TdsServer server) : ServerKind
{
    public override IReadOnlyList<string> Messes => throw new NotSupportedException();

    public override string LimitStatements => throw new NotSupportedException();

    // As pools do with a connection string. The driver would replace a lost session itself, which no pool notices.
    public override DbDataSource CreateSource(string connectionString, string sessionName)
    {
        var builder = new SqlConnectionStringBuilder(connectionString) { ConnectRetryCount = 0, ApplicationName = sessionName };
        var create = new SqlClientProfile().SourcesOfOne(SqlClientFactory.Instance, builder.ConnectionString, configure: null);
        return new PerConnectionDataSource(create, create());
    }

    public override string At(string connectionString, string host, int port) => new SqlConnectionStringBuilder(connectionString)
    {
        DataSource = string.Create(CultureInfo.InvariantCulture, $"{host},{port}"),
    }.ConnectionString;

    public override int PortOf(string connectionString) => server.Port;

    public override ISessionWatch Watch(string connectionString) => new SqlServerWatch(server);

    public override int SessionOf(DbConnection connection) => ((SqlConnection)connection).ServerProcessId;

    public override string SelectNumber(long number) => string.Create(CultureInfo.InvariantCulture, $"SELECT {number}");

    public override string Sleep(int seconds) =>
        string.Create(CultureInfo.InvariantCulture, $"WAITFOR DELAY '{TimeSpan.FromSeconds(seconds)}'");

    public override string SelectWithOwner(string text, int milliseconds) => throw new NotSupportedException();

    public override bool IsStatementCancelled(DbException failure) => throw new NotSupportedException();

    public override bool IsTimeLimit(Exception failure) => false;
}
