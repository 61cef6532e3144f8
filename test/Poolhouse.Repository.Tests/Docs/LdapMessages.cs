using System.DirectoryServices.Protocols;
using System.Net;
using System.Net.Sockets;
using Poolhouse.Ldap;
using Poolhouse.Ldap.Internal;
using Poolhouse.Ldap.Internal.Servers;
using Poolhouse.Testing;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>Makes the LDAP pool throw each of its messages, once.</summary>
internal static class LdapMessages
{
    private const string StartTls = "1.3.6.1.4.1.1466.20037";

    public static IReadOnlyDictionary<string, Action> All { get; } = new Dictionary<string, Action>(StringComparer.Ordinal)
    {
        ["ldap: no library"] = () => Use(options => options.Configure = static _ => throw new DllNotFoundException()),
        ["ldap: no credential"] =
            () => Use(options => options.Credentials = static _ => new ValueTask<NetworkCredential>((NetworkCredential)null!)),
        ["ldap: no password"] = () => Use(
            options => options.Credentials = static _ => new ValueTask<NetworkCredential>(new NetworkCredential("cn=app", ""))),
        ["ldap: follows referrals"] = () => Use(options =>
        {
            options.Security = LdapSecurity.Ssl;
            options.Configure = static connection => connection.SessionOptions.ReferralChasing = ReferralChasingOptions.All;
        }),
        ["ldap: referral"] = Refer,
        ["ldap: null character"] = () => Use(act: static pool => pool.AuthenticateAsync("uid=ada\0", "password").AsTask()),
        ["ldap: changes its connection"] =
            () => Use(act: static pool => pool.SendAsync<ExtendedResponse>(new ExtendedRequest(StartTls)).AsTask()),
        ["ldap: response of another kind"] =
            () => Use(act: static pool => pool.SendAsync<AddResponse>(new SearchRequest()).AsTask()),
        ["ldap: pages already"] = () => Use(act: static pool =>
        {
            var request = new SearchRequest();
            request.Controls.Add(new PageResultRequestControl(1));
            return Task.FromResult(pool.SearchPagedAsync(request));
        }),
        ["ldap: hangs"] = () => Use(
            options => options.OperationTimeout = TimeSpan.FromSeconds(1),
            static async (pool, server) =>
            {
                await pool.WarmUpAsync(1);
                server.Faults.ResponseDelay = TimeSpan.FromMinutes(1);
                await pool.SendAsync<SearchResponse>(new SearchRequest("", "(objectClass=*)", SearchScope.Base));
            }),
        ["ldap: no thread"] = () => Use(
            options => (options.OperationTimeout, options.MaxThreads, options.MaxStuckThreads) = (TimeSpan.FromSeconds(1), 1, 0),
            static async (pool, server) =>
            {
                await pool.WarmUpAsync(2);
                server.Faults.ResponseDelay = TimeSpan.FromMinutes(1);
                var first = pool.WhoAmIAsync().AsTask();
                var second = pool.WhoAmIAsync().AsTask();
                await Record.ExceptionAsync(() => first);
                await second;
            }),
        ["ldap: no records in DNS"] = () => Use(FromDns(new DnsAnswer(Hosts: null, Code: 1))),
        ["ldap: no answer of DNS"] = () => Use(FromDns(new DnsAnswer(Hosts: null, Code: 2))),
        ["ldap: servers of DNS"] = () => Use(FromDns(default), static pool =>
        {
            pool.ReplaceServers(["elsewhere"]);
            return Task.CompletedTask;
        }),
        ["ldap: connection string"] = () => LdapPoolOptions.Parse("no pairs"),
        ["ldap: keywords"] = () => LdapPoolOptions.Parse("Colour=blue"),
        ["ldap: invalid options"] = () => new LdapConnectionPool(new LdapPoolOptions()),
    };

    // A server that accepts every bind and answers everything else with a referral.
    private static void Refer()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var serving = Task.Run(async () =>
        {
            using var client = await listener.AcceptTcpClientAsync();
            var stream = client.GetStream();
            var message = new byte[1_000];
            while (await stream.ReadAsync(message) > 0)
            {
                // A sequence of the number of the message (three bytes) and the operation, each with a length of one byte.
                const byte Bind = 0x60;
                byte[] result = message[5] == Bind
                    ? [0x61, 7, 0x0A, 1, 0, 4, 0, 4, 0]
                    : [0x67, 22, 0x0A, 1, 10, 4, 0, 4, 0, 0xA3, 13, 4, 11, .. "ldap://else"u8];
                await stream.WriteAsync((byte[])[0x30, (byte)(3 + result.Length), .. message.AsSpan(2, 3), .. result]);
            }
        });

        var options = new LdapPoolOptions { Servers = { listener.LocalEndpoint.ToString()! }, Validation = LdapValidation.None };
        using (var pool = new LdapConnectionPool(options))
        {
            pool.SendAsync<DirectoryResponse>(new ModifyRequest("cn=a", DirectoryAttributeOperation.Replace, "sn", "b")).AsTask()
                .GetAwaiter().GetResult();
        }

        serving.GetAwaiter().GetResult();
    }

    private static Action<LdapPoolOptions> FromDns(DnsAnswer answer) => options =>
    {
        options.Servers.Clear();
        (options.DnsDomain, options.QueryDns) = ("example.org", _ => answer);
    };

    private static void Use(Action<LdapPoolOptions>? change = null, Func<LdapConnectionPool, Task>? act = null) =>
        Use(change, (pool, _) => act is null ? pool.WhoAmIAsync().AsTask() : act(pool));

    private static void Use(Action<LdapPoolOptions>? change, Func<LdapConnectionPool, LdapTestServer, Task> act)
    {
        // Its clock stands still, so an answer that is delayed never comes.
        var server = LdapTestServer.Start(new LdapTestServerOptions { TimeProvider = new ManualTimeProvider() });
        var options = new LdapPoolOptions { Servers = { $"127.0.0.1:{server.Port}" } };
        options.Pool.Name = "house";
        options.Pool.OutageTimeout = TimeSpan.Zero;
        change?.Invoke(options);
        using var pool = new LdapConnectionPool(options);
        try
        {
            act(pool, server).GetAwaiter().GetResult();
        }
        catch (PoolUnavailableException outage)
        {
            throw outage.InnerException!;
        }
        finally
        {
            server.Stop();
        }
    }
}
