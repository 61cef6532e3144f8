using Poolhouse.Testing;

namespace Poolhouse.Samples.LdapLogin;

/// <summary>A small directory in this process, where none is configured.</summary>
internal sealed class Office : IAsyncDisposable
{
    public const string Base = "dc=example,dc=org";

    private const string Entries =
        """
        dn: cn=app,dc=example,dc=org
        objectClass: organizationalRole
        objectClass: simpleSecurityObject
        cn: app
        userPassword: for the app

        dn: uid=ada,dc=example,dc=org
        objectClass: inetOrgPerson
        uid: ada
        cn: Ada
        sn: Byron
        userPassword: for ada

        dn: cn=engineers,dc=example,dc=org
        objectClass: groupOfNames
        cn: engineers
        member: uid=ada,dc=example,dc=org
        """;

    private readonly LdapTestServer _server;

    private Office(LdapTestServer server) => _server = server;

    public string ConnectionString => $"Server=127.0.0.1:{_server.Port}; User Name=\"cn=app,{Base}\"; Password=for the app";

    public static Office Open()
    {
        var server = LdapTestServer.Start();
        server.Directory.LoadLdif(Entries);
        return new Office(server);
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();
}
