using System.DirectoryServices.Protocols;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>A search, and the question who it was that searched.</summary>
/// <param name="target">What is searched.</param>
/// <param name="expected">Who it is to be; null: the server does not tell.</param>
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
