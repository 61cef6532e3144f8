namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

/// <summary>A request of a client. Names are as the client wrote them.</summary>
internal abstract record LdapRequest(LdapTestOperationKind Kind, string Target)
{
    /// <param name="Version">Of the protocol.</param>
    /// <param name="Name">The identity.</param>
    /// <param name="Password">Null for every way to authenticate but the simple one.</param>
    internal sealed record Bind(int Version, string Name, byte[]? Password) : LdapRequest(LdapTestOperationKind.Bind, Name);

    internal sealed record Unbind() : LdapRequest(LdapTestOperationKind.Unbind, "");

    internal sealed record Search(
        string BaseDn,
        LdapScope Scope,
        int SizeLimit,
        bool TypesOnly,
        LdapFilter Filter,
        IReadOnlyList<string> Attributes) : LdapRequest(LdapTestOperationKind.Search, BaseDn);

    internal sealed record Modify(string Dn, IReadOnlyList<(LdapChange Change, LdapAttribute Attribute)> Changes)
        : LdapRequest(LdapTestOperationKind.Modify, Dn);

    internal sealed record Add(string Dn, IReadOnlyList<LdapAttribute> Attributes) : LdapRequest(LdapTestOperationKind.Add, Dn);

    internal sealed record Delete(string Dn) : LdapRequest(LdapTestOperationKind.Delete, Dn);

    internal sealed record ModifyDn(string Dn, string NewRdn, bool DeleteOldRdn, string? NewSuperior)
        : LdapRequest(LdapTestOperationKind.ModifyDn, Dn);

    internal sealed record Compare(string Dn, string Attribute, byte[] Value) : LdapRequest(LdapTestOperationKind.Compare, Dn);

    internal sealed record Abandon(int MessageId) : LdapRequest(LdapTestOperationKind.Abandon, "");

    internal sealed record Extended(string Oid) : LdapRequest(LdapTestOperationKind.Extended, Oid)
    {
        public const string StartTls = "1.3.6.1.4.1.1466.20037";
        public const string WhoAmI = "1.3.6.1.4.1.4203.1.11.3";
    }
}
