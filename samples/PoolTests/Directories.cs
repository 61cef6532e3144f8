using System.DirectoryServices.Protocols;
using System.Net;
using Poolhouse.Testing;

namespace Poolhouse.Samples.PoolTests;

internal static class Directories
{
    private const string Ann = "uid=ann,dc=example,dc=org";

    /// <summary>Whether the native library of System.DirectoryServices.Protocols is there.</summary>
    public static bool HasClient()
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

    public static async Task FindAsync()
    {
        // snippet: test-ldap
        await using var server = LdapTestServer.Start();
        server.Directory.Add(
            "uid=ann,dc=example,dc=org", ("objectClass", "inetOrgPerson"), ("sn", "Bell"), ("userPassword", "secret"));
        server.Directory.LoadLdif(
            """
            dn: uid=bob,dc=example,dc=org
            objectClass: inetOrgPerson
            sn: Carver
            """);

        using var connection = Connect(server, new NetworkCredential("uid=ann,dc=example,dc=org", "secret"));
        var search = new SearchRequest(server.BaseDn, "(sn=c*)", SearchScope.Subtree, "sn");
        var response = (SearchResponse)connection.SendRequest(search);
        Console.WriteLine(response.Entries[0].DistinguishedName);
        // end snippet
    }

    public static async Task WatchIdentityAsync()
    {
        await using var server = LdapTestServer.Start();
        server.Directory.Add(Ann, ("objectClass", "inetOrgPerson"), ("sn", "Bell"), ("userPassword", "secret"));

        // snippet: test-ldap-identity
        using var connection = Connect(server, new NetworkCredential(Ann, "secret"));
        Search(connection);
        TryBind(connection, new NetworkCredential(Ann, "wrong")); // leaves the connection anonymous
        Search(connection);                                       // and nobody notices

        foreach (var search in server.GetOperations().Where(operation => operation.Kind == LdapTestOperationKind.Search))
        {
            Console.WriteLine($"A search as '{search.BoundDn}'.");
        }
        // end snippet
    }

    public static async Task LoseAsync()
    {
        await using var server = LdapTestServer.Start();

        // snippet: test-ldap-faults
        using var connection = Connect(server);
        server.Faults.DropAfterOperations(0);
        Console.WriteLine(TrySearch(connection)); // loses its connection

        server.Stop();
        Console.WriteLine(TrySearch(connection)); // nobody there
        server.Restart();
        // end snippet
    }

    private static LdapConnection Connect(LdapTestServer server, NetworkCredential? who = null)
    {
        var connection = new LdapConnection(
            new LdapDirectoryIdentifier(server.Host, server.Port), who, who is null ? AuthType.Anonymous : AuthType.Basic);
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

    private static void Search(LdapConnection connection) =>
        connection.SendRequest(new SearchRequest("dc=example,dc=org", "(objectClass=*)", SearchScope.Subtree));

    private static string TrySearch(LdapConnection connection)
    {
        try
        {
            Search(connection);
            return "found";
        }
        catch (LdapException e)
        {
            return $"Error {e.ErrorCode}.";
        }
    }
}
