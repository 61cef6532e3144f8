using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

/// <summary>
/// A small directory that every server of these tests can hold: schemas core, cosine and inetorgperson suffice.
/// </summary>
internal static class Country
{
    public const string Base = "dc=example,dc=org";
    public const string Service = "cn=service,dc=example,dc=org";
    public const string ServicePassword = "for the service";
    public const string Ann = "uid=ann,ou=people,dc=example,dc=org";
    public const string AnnPassword = "for ann";

    public const string Ldif =
        """
        dn: dc=example,dc=org
        objectClass: organization
        objectClass: dcObject
        dc: example
        o: Example

        dn: cn=service,dc=example,dc=org
        objectClass: organizationalRole
        objectClass: simpleSecurityObject
        cn: service
        userPassword: for the service

        dn: ou=people,dc=example,dc=org
        objectClass: organizationalUnit
        ou: people

        dn: ou=groups,dc=example,dc=org
        objectClass: organizationalUnit
        ou: groups

        dn: uid=ann,ou=people,dc=example,dc=org
        objectClass: inetOrgPerson
        uid: ann
        cn: Ann Bell
        sn: Bell
        mail: ann@example.org
        mail: a.bell@example.org
        employeeNumber: 7
        description:: w6RwZmVsIHVuZCBiaXJuZW4=
        userPassword: for ann

        dn: uid=bob,ou=people,dc=example,dc=org
        objectClass: inetOrgPerson
        uid: bob
        cn: Bob
          Carver
        sn: Carver
        title: Carpenter, first
        userPassword: for bob

        dn: cn=Dora Ernst+uid=dora,ou=people,dc=example,dc=org
        objectClass: inetOrgPerson
        uid: dora
        cn: Dora Ernst
        sn: Ernst

        dn: cn=Fox\, Gil,ou=people,dc=example,dc=org
        objectClass: inetOrgPerson
        cn: Fox, Gil
        sn: Fox

        dn: cn=builders,ou=groups,dc=example,dc=org
        objectClass: groupOfNames
        cn: builders
        member: uid=ann,ou=people,dc=example,dc=org
        member: uid=bob,ou=people,dc=example,dc=org
        """;

    public static LdapTestServer Start(LdapTestServerOptions? options = null)
    {
        var server = LdapTestServer.Start(options);
        server.Directory.LoadLdif(Ldif);
        return server;
    }
}
