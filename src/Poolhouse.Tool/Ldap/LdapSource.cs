namespace Poolhouse.Tool.Ldap;

/// <summary>Which directory the trials ask.</summary>
/// <param name="User">The user's; null: one in this process, anew for each trial.</param>
internal sealed record LdapSource(LdapTarget? User)
{
    public static LdapSource InProcess { get; } = new((LdapTarget?)null);

    /// <summary>What it is, without an address.</summary>
    public string Name => User is null ? "an LDAP server in this process" : "the LDAP server of --server";

    public LdapDirectory Open() => User is null ? InProcessDirectory.Start() : new UsersDirectory(User);
}
