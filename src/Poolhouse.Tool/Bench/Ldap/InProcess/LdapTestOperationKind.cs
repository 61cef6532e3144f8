namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>The operations of LDAP (RFC 4511).</summary>
internal enum LdapTestOperationKind
{
    /// <summary>Binds an identity.</summary>
    Bind,

    /// <summary>Ends the connection.</summary>
    Unbind,

    /// <summary>Finds entries.</summary>
    Search,

    /// <summary>Changes an entry.</summary>
    Modify,

    /// <summary>Adds an entry.</summary>
    Add,

    /// <summary>Removes an entry.</summary>
    Delete,

    /// <summary>Renames or moves an entry.</summary>
    ModifyDn,

    /// <summary>Compares a value of an entry.</summary>
    Compare,

    /// <summary>Abandons an operation in progress.</summary>
    Abandon,

    /// <summary>An operation named by an object identifier, such as WhoAmI or StartTLS.</summary>
    Extended,
}
