using System.DirectoryServices.Protocols;
using System.Net;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

/// <summary>
/// Connections of System.DirectoryServices.Protocols to a test server. Where its native library is missing, the test that asks is
/// skipped.
/// </summary>
internal static class DirectoryServices
{
    public static TimeSpan Patience { get; } = TimeSpan.FromMinutes(1);

    /// <summary>A connection that is bound as the service.</summary>
    public static LdapConnection ConnectAsService(LdapTestServer server) =>
        Connect(server, new NetworkCredential(Country.Service, Country.ServicePassword));

    /// <summary>A connection that is anonymous, or bound.</summary>
    public static LdapConnection Connect(LdapTestServer server, NetworkCredential? who = null)
    {
        LdapConnection connection;
        try
        {
            connection = new LdapConnection(
                new LdapDirectoryIdentifier(server.Host, server.Port), who, who is null ? AuthType.Anonymous : AuthType.Basic);
        }
        catch (Exception e) when (e is TypeInitializationException or DllNotFoundException)
        {
            Assert.Skip("the native library of System.DirectoryServices.Protocols (Debian: libldap-2.5-0) cannot be loaded");
            throw;
        }

        try
        {
            connection.SessionOptions.ProtocolVersion = 3;
            connection.Timeout = Patience;
            connection.Bind();
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    public static string WhoAmI(LdapConnection connection)
    {
        var response = (ExtendedResponse)connection.SendRequest(new ExtendedRequest("1.3.6.1.4.1.4203.1.11.3"));
        return System.Text.Encoding.UTF8.GetString(response.ResponseValue ?? []);
    }

    public static SearchResponse Search(LdapConnection connection, string filter, params DirectoryControl[] controls)
    {
        var request = new SearchRequest(Country.Base, filter, SearchScope.Subtree, "cn");
        request.Controls.AddRange(controls);
        return (SearchResponse)connection.SendRequest(request);
    }
}
