using System.DirectoryServices.Protocols;
using System.Globalization;
using Poolhouse.Ldap;

namespace Poolhouse.Samples.Shop;

/// <summary>Finds the user in the directory and checks the password there, on pooled connections.</summary>
internal sealed class DirectoryLogin([FromKeyedServices("directory")] LdapConnectionPool directory, IConfiguration configuration)
    : ILogin
{
    private readonly string _root = configuration["Directory:Base"] ?? "dc=example,dc=org";

    public async ValueTask<bool> IsAllowedAsync(string user, string password, CancellationToken cancellationToken)
    {
        var request = new SearchRequest(_root, $"(uid={Escape(user)})", SearchScope.Subtree, "1.1");
        var found = await directory.SendAsync<SearchResponse>(request, cancellationToken);
        return found.Entries.Count == 1
            && await directory.AuthenticateAsync(found.Entries[0].DistinguishedName, password, cancellationToken);
    }

    // What a user types must not become a part of the filter (RFC 4515, section 3).
    private static string Escape(string value) => string.Concat(value.Select(
        character => character is '*' or '(' or ')' or '\\' or '\0'
            ? string.Create(CultureInfo.InvariantCulture, $"\\{(int)character:x2}")
            : character.ToString()));
}
