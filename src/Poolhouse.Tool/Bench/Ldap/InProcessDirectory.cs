using System.DirectoryServices.Protocols;
using System.Globalization;
using Poolhouse.Tool.Bench.Ldap.InProcess;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>The server for tests, in this process: a service, and people who can be found anonymously.</summary>
internal sealed class InProcessDirectory : LdapDirectory
{
    private const int Persons = 40;
    private readonly LdapTestServer _server;

    private InProcessDirectory(LdapTestServer server, string password)
    {
        _server = server;
        Target = new LdapTarget
        {
            Host = server.Host,
            Port = server.Port,
            BindDn = ServiceOf(server),
            Password = password,
            SearchBase = PeopleOf(server),
            Scope = SearchScope.Subtree,
            Filter = "(uid=user7)",
            Attribute = "cn",
        };
    }

    public override LdapTarget Target { get; }

    public override long? Accepted => _server.ConnectionsAccepted;

    public override int? Open => _server.Connections;

    public static InProcessDirectory Start()
    {
        var server = LdapTestServer.Start(new LdapTestServerOptions { MaxRememberedOperations = 0 });
        var password = ServerPassword.Create();
        server.Directory.Add(ServiceOf(server), ("objectClass", "applicationProcess"), ("userPassword", password));
        server.Directory.Add(PeopleOf(server), ("objectClass", "organizationalUnit"));
        for (var i = 0; i < Persons; i++)
        {
            var uid = string.Create(CultureInfo.InvariantCulture, $"user{i}");
            server.Directory.Add($"uid={uid},{PeopleOf(server)}", ("objectClass", "inetOrgPerson"), ("cn", uid), ("sn", uid));
        }

        return new InProcessDirectory(server, password);
    }

    public override void SlowDown(TimeSpan response) => _server.Faults.ResponseDelay = response;

    public override void Stop() => _server.Stop();

    public override void StartAgain() => _server.Restart();

    public override ValueTask DisposeAsync() => _server.DisposeAsync();

    private static string ServiceOf(LdapTestServer server) => $"cn=service,{server.BaseDn}";

    private static string PeopleOf(LdapTestServer server) => $"ou=people,{server.BaseDn}";
}
