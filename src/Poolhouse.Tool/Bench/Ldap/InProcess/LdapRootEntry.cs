using System.Text;
using Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>The root entry (RFC 4512, section 5.1): what the server can do.</summary>
internal static class LdapRootEntry
{
    public static bool IsAskedFor(LdapRequest.Search search) =>
        search.Scope == LdapScope.Base && string.IsNullOrWhiteSpace(search.BaseDn);

    public static LdapTestEntry Make(LdapTestServer server)
    {
        string[] extensions = server.Options.ServerCertificate is null
            ? [LdapRequest.Extended.WhoAmI]
            : [LdapRequest.Extended.WhoAmI, LdapRequest.Extended.StartTls];
        return new LdapTestEntry(
            LdapDn.Empty,
            [Attribute("objectClass", "top")],
            [
                Attribute("namingContexts", server.BaseDn),
                Attribute("supportedControl", LdapControl.PagedResults),
                Attribute("supportedExtension", extensions),
                Attribute("supportedLDAPVersion", "3"),
            ]);
    }

    private static LdapAttribute Attribute(string name, params string[] values) =>
        new(name, [.. values.Select(Encoding.UTF8.GetBytes)]);
}
