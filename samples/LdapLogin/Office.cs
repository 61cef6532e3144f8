using System.Globalization;
using Poolhouse.Samples.PoolTests;

namespace Poolhouse.Samples.LdapLogin;

/// <summary>A small directory, where none is configured.</summary>
internal sealed class Office : IDisposable
{
    public const string Base = Slapd.Base;

    private static readonly string _password = Slapd.NewPassword();

    private static readonly string _entries =
        $"""
        dn: cn=app,dc=example,dc=org
        objectClass: organizationalRole
        objectClass: simpleSecurityObject
        cn: app
        userPassword: {_password}

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

    private readonly Slapd _server = Slapd.Start(_entries);

    public string ConnectionString =>
        string.Create(
            CultureInfo.InvariantCulture, $"Server=127.0.0.1:{_server.Port}; User Name=\"cn=app,{Base}\"; Password={_password}");

    public void Dispose() => _server.Dispose();
}
