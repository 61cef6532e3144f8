namespace Poolhouse.Benchmarks.Bars;

/// <summary>What the pool of LDAP connections promises, on OpenLDAP's server.</summary>
internal static class LdapBars
{
    private const string Held = "a search on a held connection";

    public static IReadOnlyList<Bar> All { get; } =
    [
        Operation("LDAP pooled search", "connect+bind+search+close", 0.5, LdapOperations.Send, LdapOperations.ConnectAndSearch),
        Operation("LDAP pooled search, async", Held, 1.3, LdapOperations.Send, LdapOperations.Search),

        // Falls short since each return checks for changed session options, which it must read from libldap.
        Bar.Of<LdapPair, ResourcePair>("LDAP connection rent+return", "a bare ResourcePool", 1.2),

        // Not promised, but the basis for running SendAsync on threads, and the relative cost of the check.
        Operation("LDAP rent+return", Held, null, LdapOperations.Rent, LdapOperations.Search),
        Operation("LDAP rent, search, return", Held, null, LdapOperations.RentAndSearch, LdapOperations.Search),
        Operation("LDAP BeginSendRequest", Held, null, LdapOperations.Begin, LdapOperations.Search),
        Operation("LDAP search on another thread", Held, null, LdapOperations.SearchElsewhere, LdapOperations.Search),
    ];

    private static Bar Operation(string name, string rival, double? limit, Action<int> ours, Action<int> rivals) => new(
        name, rival, limit, calls => LdapOperations.Nanoseconds(ours, calls), calls => LdapOperations.Nanoseconds(rivals, calls),
        null)
    {
        PairsPerCall = LdapOperations.PerCall,
    };
}
