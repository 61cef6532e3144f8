using Poolhouse.Testing;

namespace Poolhouse.House.Tests.Docs;

/// <summary>Makes the LDAP server for tests throw each of its messages, once.</summary>
internal static class LdapServerTrouble
{
    private const string Base = "dc=example,dc=org";

    public static IReadOnlyDictionary<string, Action> All { get; } = new Dictionary<string, Action>(StringComparer.Ordinal)
    {
        ["ldap server: invalid options"] = () => LdapTestServer.Start(new LdapTestServerOptions { MaxFilterDepth = 0 }),
        ["ldap server: no name"] = () => With(server => server.Directory.Find("ann")),
        ["ldap server: entry exists"] = () => With(server => server.Directory.Add(Base)),
        ["ldap server: nothing above"] = () => With(server => server.Directory.Add("uid=ann,ou=people," + Base)),
        ["ldap server: no entry"] = () => With(server => server.Directory.SetPassword("uid=ann," + Base, "secret")),
        ["ldap server: base"] = () => With(server => server.Directory.Remove(Base)),
        ["ldap server: ldif"] = () => With(server => server.Directory.LoadLdif("cn: ann")),
        ["ldap server: delay"] = () => With(server => server.Faults.BindDelay = TimeSpan.FromSeconds(-1)),
        ["ldap server: idle timeout"] = () => With(server => server.Faults.IdleTimeout = TimeSpan.Zero),
        ["ldap server: refusal"] = () => With(server => server.Faults.RefuseBinds(LdapTestResultCode.Success)),
    };

    private static void With(Action<LdapTestServer> use)
    {
        var server = LdapTestServer.Start();
        try
        {
            use(server);
        }
        finally
        {
            server.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }
}
