using System.DirectoryServices.Protocols;
using System.Globalization;
using System.Net;
using System.Text;
using Poolhouse.Ldap;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>The address of a directory, the identity of its callers, and their search.</summary>
// No record: its text would show the password.
internal sealed class LdapTarget
{
    private const string WhoAmIOperation = "1.3.6.1.4.1.4203.1.11.3";
    private static readonly TimeSpan _timeout = TimeSpan.FromSeconds(10);

    public required string Host { get; init; }

    public required int Port { get; init; }

    public bool IsSecure { get; init; }

    /// <summary>The identity that connections are bound as; null for anonymous.</summary>
    public string? BindDn { get; init; }

    public string? Password { get; init; }

    /// <summary>The entry that the search begins at; empty: the root, which every server has.</summary>
    public string SearchBase { get; init; } = "";

    public SearchScope Scope { get; init; } = SearchScope.Base;

    public string Filter { get; init; } = "(objectClass=*)";

    public string Attribute { get; init; } = "namingContexts";

    /// <summary>What an operation is.</summary>
    public SearchRequest Search() => new(SearchBase, Filter, Scope, Attribute);

    /// <summary>An ordinary connection: opened and bound.</summary>
    public LdapConnection Connect()
    {
        var credential = BindDn is null ? null : new NetworkCredential(BindDn, Password);
        var connection = new LdapConnection(
            new LdapDirectoryIdentifier(Host, Port), credential, BindDn is null ? AuthType.Anonymous : AuthType.Basic);
        try
        {
            connection.SessionOptions.ProtocolVersion = 3;
            connection.SessionOptions.SecureSocketLayer = IsSecure;
            connection.Timeout = _timeout;
            connection.Bind();
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    /// <summary>The settings of a pool: the defaults, except for its size.</summary>
    public LdapPoolOptions PoolOptions(int maxSize)
    {
        var options = new LdapPoolOptions
        {
            Servers = { $"{Host}:{Port.ToString(CultureInfo.InvariantCulture)}" },
            Security = IsSecure ? LdapSecurity.Ssl : LdapSecurity.None,
            UserName = BindDn,
            Password = Password,
        };
        options.Pool.MaxSize = maxSize;
        return options;
    }

    /// <summary>The identity of a connection at the server.</summary>
    /// <returns>Null if the server does not support the request.</returns>
    public static string? WhoAmI(LdapConnection connection)
    {
        try
        {
            var response = (ExtendedResponse)connection.SendRequest(new ExtendedRequest(WhoAmIOperation));
            return Encoding.UTF8.GetString(response.ResponseValue ?? []);
        }
        catch (DirectoryOperationException refused) when (refused.Response is ExtendedResponse)
        {
            return null;
        }
    }
}
