using Npgsql;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>A proxy in front of the shared server, and a direct connection to inspect the server.</summary>
internal sealed class ProxiedServer : IAsyncDisposable
{
    private ProxiedServer(FaultProxy proxy, string direct)
    {
        Proxy = proxy;
        Watch = new ServerWatch(direct);
        ConnectionString = new NpgsqlConnectionStringBuilder(direct) { Host = proxy.Host, Port = proxy.Port }.ConnectionString;
    }

    public FaultProxy Proxy { get; }

    public ServerWatch Watch { get; }

    /// <summary>Through the proxy.</summary>
    public string ConnectionString { get; }

    public static async Task<ProxiedServer> StartAsync(PostgresServer server)
    {
        var direct = await server.GetConnectionStringAsync();
        var builder = new NpgsqlConnectionStringBuilder(direct);
        return new ProxiedServer(FaultProxy.Start(builder.Host!, builder.Port), direct);
    }

    public async Task<PoolUser> WarmAsync(PoolApi api, int size, ResourcePoolOptions options, Action<NpgsqlConnectionStringBuilder>? connect = null)
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
