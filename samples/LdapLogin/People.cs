using System.DirectoryServices.Protocols;
using System.Globalization;
using Poolhouse.Ldap;

namespace Poolhouse.Samples.LdapLogin;

/// <summary>The people in the directory below a name.</summary>
internal sealed class People(string root)
{
    /// <summary>The distinguished name of a user, or null where there is none, or more than one.</summary>
    // snippet: ldap-find
    public async Task<string?> FindAsync(LdapConnectionPool pool, string user, CancellationToken cancellationToken)
    {
        var request = new SearchRequest(root, $"(&(objectClass=inetOrgPerson)(uid={Escape(user)}))", SearchScope.Subtree, "1.1");
        var found = await pool.SendAsync<SearchResponse>(request, cancellationToken);
        return found.Entries.Count == 1 ? found.Entries[0].DistinguishedName : null;
    }
    // end snippet

    /// <summary>The names of the groups of a person.</summary>
    // snippet: ldap-paged
    public async Task<IReadOnlyList<string>> GroupsOfAsync(
        LdapConnectionPool pool, string name, CancellationToken cancellationToken)
    {
        var request = new SearchRequest(root, $"(&(objectClass=groupOfNames)(member={Escape(name)}))", SearchScope.Subtree, "cn");
        var groups = new List<string>();
        await foreach (var group in pool.SearchPagedAsync(request, pageSize: 200, cancellationToken))
        {
            groups.Add((string)group.Attributes["cn"][0]);
        }

        return groups;
    }
    // end snippet

    // What a user types must not become a part of the filter (RFC 4515, section 3).
    private static string Escape(string value) => string.Concat(value.Select(
        character => character is '*' or '(' or ')' or '\\' or '\0'
            ? string.Create(CultureInfo.InvariantCulture, $"\\{(int)character:x2}")
            : character.ToString()));
}
