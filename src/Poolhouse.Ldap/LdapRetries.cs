using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Ldap;

/// <summary>
/// Which operations are sent again, once, on another connection, when the pooled connection that they were sent on turns out to
/// be dead.
/// </summary>
/// <remarks>
/// Dead means result 81 (server down) on a connection that was used before. The server may have executed the operation before it
/// went down: allow only operations that may be executed twice.
/// </remarks>
[Flags]
[SuppressMessage("Naming", "CA1711:Identifiers should not have incorrect suffix", Justification = "It has none of them.")]
public enum LdapRetries
{
    /// <summary>None.</summary>
    None = 0,

    /// <summary>Searches, including the first page of a paged search, but not later pages.</summary>
    Search = 1,

    /// <summary>Comparisons.</summary>
    Compare = 2,

    /// <summary>
    /// Password checks by <see cref="LdapConnectionPool.AuthenticateAsync"/>. A server may count a wrong password twice.
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

    /// <summary>All operations that change nothing: searches, comparisons and password checks.</summary>
    Reads = Search | Compare | Authenticate,
}
