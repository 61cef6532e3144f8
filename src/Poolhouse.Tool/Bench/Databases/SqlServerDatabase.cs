using System.Data.Common;
using Microsoft.Data.SqlClient;
using Poolhouse.Data;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>
/// SQL Server: a server of the user's, or a model of it in this process that takes a stated time for each request.
/// </summary>
internal sealed class SqlServerDatabase : Database
{
    /// <summary>What a server in the same data center takes at least.</summary>
    private static readonly TimeSpan _delay = TimeSpan.FromMilliseconds(1);

    private readonly string _connectionString;
    private readonly TdsServer? _server;

    private SqlServerDatabase(string connectionString, TdsServer? server)
    {
        _connectionString = connectionString;
        _server = server;
    }

    public override DatabaseKind Kind => DatabaseKind.SqlServer;

    public override string Name => _server is null ? "SQL Server" : EmbeddedName;

    /// <summary>How reports name the model.</summary>
    public static string EmbeddedName => $"embedded TDS server, {Units.Count(_delay.TotalMilliseconds)} ms a request";

    public override bool IsAsynchronous => true;

    public override string BriefQuery => "WAITFOR DELAY '00:00:00.002'";

    public override string WorkingQuery => BriefQuery;

    /// <summary>The default resets as much.</summary>
    protected override SessionReset? ResetLikeProvider => null;

    /// <summary>The model.</summary>
    public static SqlServerDatabase StartEmbedded()
    {
        var server = TdsServer.Start();
        server.Delay = _delay;
        return new SqlServerDatabase(server.ConnectionString, server);
    }

    /// <summary>The user's own server.</summary>
    public static SqlServerDatabase Of(SqlConnectionStringBuilder connection) => new(connection.ConnectionString, server: null);

    public override DbDataSource OpenWithoutPool(string tag) =>
        ProviderSource.OfSqlServer(StringFor(tag, pooling: false).ConnectionString);

    public override int? CountConnections(string tag) =>
        _server?.Sessions.Count(session => session.Login.Application.Equals(tag, StringComparison.Ordinal));

    public override int? CountRoom() => null;

    // It stops when the last connection is closed, and nothing waits for that.
    public override void Dispose() => _server?.Stop();

    protected override DbDataSource OpenProviderPool(SourceSettings settings) =>
        ProviderSource.OfSqlServer(PooledString(settings));

    protected override DbDataSource OpenPoolhouse(SourceSettings settings) =>
        PoolhouseSource.Create(SqlClientFactory.Instance, PooledString(settings), settings);

    private string PooledString(SourceSettings settings)
    {
        var builder = StringFor(settings.Tag, pooling: true);
        builder.MaxPoolSize = settings.MaxSize;
        return builder.ConnectionString;
    }

    private SqlConnectionStringBuilder StringFor(string tag, bool pooling) =>
        new(_connectionString) { ApplicationName = tag, Pooling = pooling };
}
