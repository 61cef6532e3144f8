using System.DirectoryServices.Protocols;
using System.Net;
using Poolhouse.Testing;

namespace Poolhouse.Samples.PoolTests;

internal static class Directories
{
    /// <summary>What this machine lacks for tests with a directory; null: nothing.</summary>
    public static string? Missing =>
        !HasClient() ? "the native library libldap (Debian: libldap-2.5-0) is missing" : Slapd.Missing;

    public static async Task FindAsync()
    {
        // snippet: test-ldap
        using var slapd = Slapd.Start(
            """
            dn: uid=ann,dc=example,dc=org
            objectClass: inetOrgPerson
            cn: Ann Bell
            sn: Bell
            """);
        await using var proxy = FaultProxy.Start("127.0.0.1", slapd.Port);

        using var connection = Connect(proxy.Port, new NetworkCredential(slapd.AdminDn, slapd.AdminPassword));
        Console.WriteLine(Search(connection, "(sn=b*)")); // uid=ann,dc=example,dc=org

        TryBind(connection, new NetworkCredential(slapd.AdminDn, "wrong")); // leaves the connection anonymous
        Console.WriteLine(Search(connection, "(sn=b*)"));                   // anonymous searches are denied

        proxy.ResetAll();
        Console.WriteLine(Search(connection, "(sn=b*)")); // the connection is lost
        // end snippet
    }

    private static bool HasClient()
    {
        try
        {
            using var connection = new LdapConnection("localhost");
            return true;
        }
        catch (Exception e) when (e is TypeInitializationException or DllNotFoundException)
        {
            return false;
        }
    }

    private static LdapConnection Connect(int port, NetworkCredential who)
    {
        var connection = new LdapConnection(new LdapDirectoryIdentifier("127.0.0.1", port), who, AuthType.Basic);
        connection.SessionOptions.ProtocolVersion = 3;
        connection.Bind();
        return connection;
    }

    private static void TryBind(LdapConnection connection, NetworkCredential who)
    {
        try
        {
            connection.Bind(who);
        }
        catch (LdapException)
        {
            // As it should be.
        }
    }

    private static string Search(LdapConnection connection, string filter)
    {
        try
        {
            var found = (SearchResponse)connection.SendRequest(new SearchRequest(Slapd.Base, filter, SearchScope.Subtree));
            return found.Entries[0].DistinguishedName;
        }
        catch (DirectoryOperationException e)
        {
            return $"{e.Response.ResultCode}.";
        }
        catch (LdapException e)
        {
            return $"Error {e.ErrorCode}.";
        }
    }
}
