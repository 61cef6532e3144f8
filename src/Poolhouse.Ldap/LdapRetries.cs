using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Ldap;

/// <summary>
/// Which operations are sent once more, on another connection, when the pooled connection that they were sent on turns out to be
/// dead.
/// </summary>
/// <remarks>
/// Dead means result 81 (server down) on a connection that was used before. The server may have done the operation and then gone:
/// allow what may be done twice.
/// </remarks>
[Flags]
[SuppressMessage("Naming", "CA1711:Identifiers should not have incorrect suffix", Justification = "It has none of them.")]
public enum LdapRetries
{
    /// <summary>None.</summary>
    None = 0,

    /// <summary>Searches, a page of a paged search included only if it is the first.</summary>
    Search = 1,

    /// <summary>Comparisons.</summary>
    Compare = 2,

    /// <summary>
    /// The checks of passwords by <see cref="LdapConnectionPool.AuthenticateAsync"/>. A server may count a wrong one twice.
    /// </summary>
    Authenticate = 4,

    /// <summary>Additions.</summary>
    Add = 8,

    /// <summary>Modifications.</summary>
    Modify = 16,

    /// <summary>Renames and moves.</summary>
    ModifyDn = 32,

    /// <summary>Deletions.</summary>
    Delete = 64,

    /// <summary>Extended operations.</summary>
    Extended = 128,

    /// <summary>What changes nothing: searches, comparisons and checks of passwords.</summary>
    Reads = Search | Compare | Authenticate,
}
