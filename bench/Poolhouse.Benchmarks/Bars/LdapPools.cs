using System.DirectoryServices.Protocols;
using System.Globalization;
using System.Net;
using Poolhouse.Ldap;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>A pool of connections to one slapd, which is started when the first of them is used.</summary>
internal static class LdapPools
{
    private const int Connections = 8;

    private static TemporarySlapd? _server;

    /// <summary>A pool with the default settings, filled, and bound as the administrator.</summary>
    public static readonly LdapConnectionPool Poolhouse = MakePool();

    /// <summary>A connection that is opened once and used for everything.</summary>
    public static readonly LdapConnection Held = Connect();

    /// <summary>Why there is no server; null: there is one.</summary>
    public static string? WhyNot => TemporarySlapd.TryFind(out var reason) ? null : reason;

    private static TemporarySlapd Server => _server ??= TemporarySlapd.StartAsync().Result;

    /// <summary>Starts the server and opens the connections.</summary>
    public static void Start()
    {
        LdapOperations.Search(1);
        LdapOperations.Send(1);
    }

    public static void Stop()
    {
        Held.Dispose();
        Poolhouse.Dispose();
        _server?.Dispose();
    }

    /// <summary>A connection as any program makes it.</summary>
    public static LdapConnection Connect()
    {
        var connection = new LdapConnection(
            new LdapDirectoryIdentifier(Server.Host, Server.Port), new NetworkCredential(Server.AdminDn, Server.AdminPassword),
            AuthType.Basic);
        connection.SessionOptions.ProtocolVersion = 3;
        connection.Bind();
        return connection;
    }

    /// <summary>A request.</summary>
    public static SearchRequest Request() => new(Server.BaseDn, "(objectClass=*)", SearchScope.Base, "o");

    private static LdapConnectionPool MakePool()
    {
        var options = new LdapPoolOptions
        {
            Servers = { string.Create(CultureInfo.InvariantCulture, $"{Server.Host}:{Server.Port}") },
            UserName = Server.AdminDn,
            Password = Server.AdminPassword,
        };
        options.Pool.MaxSize = Connections;
        var pool = new LdapConnectionPool(options);
        pool.WarmUpAsync(Connections).Wait();
        return pool;
    }
}
