using Microsoft.Data.SqlClient;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.Data.Tests.SqlServer;

/// <summary>Tests of pools over SqlClient on a model of SQL Server of their own, which counts what reaches it.</summary>
public abstract class ModelServerTests : IAsyncDisposable
{
    private protected static CancellationToken Token => TestContext.Current.CancellationToken;

    private protected TdsServer Server { get; } = TdsServer.Start();

    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return Server.DisposeAsync();
    }

    /// <summary>One connection, which is not queried between two uses, however slow the machine is.</summary>
    private protected static DbPoolOptions CreateOptions() =>
        new() { Pool = { MaxSize = 1, ValidateAfterIdle = TimeSpan.FromHours(1) } };

    private protected PooledDataSource CreateSource(DbPoolOptions? options = null) => PooledDataSource.Create(
        SqlClientFactory.Instance, Server.ConnectionString, options ?? CreateOptions());

    private protected DbConnectionPool<SqlConnection> CreatePool(DbPoolOptions? options = null) => new(
        SqlClientFactory.Instance, Server.ConnectionString, options ?? CreateOptions());

    /// <summary>Waits until the pool has finished its own work on its only connection.</summary>
    private protected static Task SettleAsync(Func<ResourcePoolStatistics> read) => Patience.UntilAsync(
        () => ValueTask.FromResult(read()), now => now is { Leased: 0, Idle: 1 }, "the connection is idle");

    /// <summary>Waits until the server has ended every session, and the driver would check a connection.</summary>
    private protected async Task UntilEndedAsync()
    {
        var since = TimeProvider.System.GetTimestamp();
        await Patience.UntilAsync(
            () => ValueTask.FromResult((Server.Sessions.Count, TimeProvider.System.GetElapsedTime(since).TotalMilliseconds)),
            now => now is (0, > 20), "the sessions have ended");
    }
}
