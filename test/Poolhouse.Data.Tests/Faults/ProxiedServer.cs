using Npgsql;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>A proxy in front of the shared server, and a direct connection to inspect the server.</summary>
internal sealed class ProxiedServer : IAsyncDisposable
{
    private readonly ServerKind _kind;

    private ProxiedServer(ServerKind kind, FaultProxy proxy, string direct)
    {
        _kind = kind;
        Proxy = proxy;
        Watch = kind.Watch(direct);
        ConnectionString = kind.At(direct, proxy.Host, proxy.Port);
    }

    public FaultProxy Proxy { get; }

    public ISessionWatch Watch { get; }

    /// <summary>Through the proxy.</summary>
    public string ConnectionString { get; }

    public static async Task<ProxiedServer> StartAsync(PostgresServer server) =>
        Start(ServerKind.PostgreSql, await server.GetConnectionStringAsync());

    public static ProxiedServer Start(ServerKind kind, string direct) =>
        new(kind, FaultProxy.Start("127.0.0.1", kind.PortOf(direct)), direct);

    public async Task<PoolUser> WarmAsync(PoolApi api, int size, ResourcePoolOptions options)
    {
        var user = new PoolUser(api, _kind, ConnectionString, options);
        await user.WarmUpAsync(size);
        return user;
    }

    /// <summary>The same on PostgreSQL, with other settings of the connections.</summary>
    public async Task<PoolUser> WarmAsync(
        PoolApi api, int size, ResourcePoolOptions options, Action<NpgsqlConnectionStringBuilder> connect)
    {
        var user = new PoolUser(api, ConnectionString, options, connect: connect);
        await user.WarmUpAsync(size);
        return user;
    }

    public async ValueTask DisposeAsync()
    {
        await Watch.DisposeAsync();
        await Proxy.DisposeAsync();
    }
}
