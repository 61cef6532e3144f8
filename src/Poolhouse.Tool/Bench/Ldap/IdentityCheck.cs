using System.DirectoryServices.Protocols;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>A search, and a check of its identity.</summary>
/// <param name="target">What is searched.</param>
/// <param name="expected">The expected identity; null if the server does not report it.</param>
internal sealed class IdentityCheck(LdapTarget target, string? expected)
{
    private int _strangers;

    /// <summary>How many searches were executed under another identity, for example anonymously.</summary>
    public int Strangers => Volatile.Read(ref _strangers);

    public void Search(LdapConnection connection)
    {
        connection.SendRequest(target.Search());
        if (expected is not null && LdapTarget.WhoAmI(connection) != expected)
        {
            Interlocked.Increment(ref _strangers);
        }
    }
}
