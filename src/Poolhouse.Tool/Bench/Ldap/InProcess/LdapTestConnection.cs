namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>A connection of an <see cref="LdapTestServer"/> at the moment of the call.</summary>
internal sealed class LdapTestConnection
{
    internal LdapTestConnection(long id, string boundDn, long operations, LdapTestOperationKind? lastOperation, bool isEncrypted)
    {
        Id = id;
        BoundDn = boundDn;
        Operations = operations;
        LastOperation = lastOperation;
        IsEncrypted = isEncrypted;
    }

    /// <summary>The number of the connection: 1 for the first that the server accepted.</summary>
    public long Id { get; }

    /// <summary>The identity of the connection; empty: anonymous.</summary>
    public string BoundDn { get; }

    /// <summary>The number of operations that the server has received on this connection.</summary>
    public long Operations { get; }

    /// <summary>The last of them; null: none.</summary>
    public LdapTestOperationKind? LastOperation { get; }

    /// <summary>Whether the connection is under TLS.</summary>
    public bool IsEncrypted { get; }
}
