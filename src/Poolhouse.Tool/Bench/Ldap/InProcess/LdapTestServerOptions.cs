using System.Security.Cryptography.X509Certificates;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>The settings of an <see cref="LdapTestServer"/>.</summary>
internal sealed class LdapTestServerOptions
{
    /// <summary>
    /// Whether a connection that is not bound may search and compare; the root entry (the empty name) is always open.
    /// <c>false</c> answers <see cref="LdapTestResultCode.InsufficientAccessRights"/>.
    /// </summary>
    public bool AllowAnonymousSearch { get; init; } = true;

    /// <summary>
    /// Whether a bind with a name and an empty password succeeds, as it does on some servers, and leaves the connection anonymous
    /// (RFC 4513, section 5.1.2); otherwise the answer is <see cref="LdapTestResultCode.UnwillingToPerform"/>, as OpenLDAP gives
    /// it.
    /// </summary>
    public bool AllowUnauthenticatedBind { get; init; }

    /// <summary>The certificate of the server, with its private key, which the server does not dispose; null: no TLS.</summary>
    public X509Certificate2? ServerCertificate { get; init; }

    /// <summary>
    /// Whether every connection begins with TLS, as on the port of ldaps; needs a <see cref="ServerCertificate"/>.
    /// </summary>
    public bool UseLdaps { get; init; }

    /// <summary>How many bytes a message of a client may have; a longer one ends its connection.</summary>
    public int MaxMessageSize { get; init; } = 1024 * 1024;

    /// <summary>The maximum nesting depth of and, or and not in a filter; a deeper one ends its connection.</summary>
    public int MaxFilterDepth { get; init; } = 100;

    /// <summary>How many operations <see cref="LdapTestServer.GetOperations"/> remembers; the oldest go first.</summary>
    public int MaxRememberedOperations { get; init; } = 10_000;

    /// <summary>The clock of delays, of the idle timeout and of the time stamps of entries.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
