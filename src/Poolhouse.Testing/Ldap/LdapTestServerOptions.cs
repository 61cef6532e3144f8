using System.Net;
using System.Security.Cryptography.X509Certificates;
using Poolhouse.Internal;

namespace Poolhouse.Testing;

/// <summary>The settings of an <see cref="LdapTestServer"/>. Each has a default.</summary>
/// <remarks>
/// A server copies its options; changing them later has no effect on it. All settings are validated together, and one exception
/// names every invalid one. Not thread safe.
/// </remarks>
public sealed class LdapTestServerOptions
{
    /// <summary>The port on 127.0.0.1.</summary>
    /// <value>0 by default: a free one. Otherwise 1 to 65,535.</value>
    public int Port { get; set; }

    /// <summary>The name of the directory's first entry, which the server makes itself; all others are below it.</summary>
    /// <value><c>dc=example,dc=org</c> by default; a distinguished name that is not empty.</value>
    public string BaseDn { get; set; } = "dc=example,dc=org";

    /// <summary>
    /// Whether a connection that is not bound may search and compare. The root entry (the empty name) is always open.
    /// </summary>
    /// <value><c>true</c> by default. <c>false</c> answers <see cref="LdapTestResultCode.InsufficientAccessRights"/>.</value>
    /// <remarks>With <c>false</c> a connection that lost its identity without anybody noticing fails the test.</remarks>
    public bool AllowAnonymousSearch { get; set; } = true;

    /// <summary>Whether a connection that is not bound may change entries.</summary>
    /// <value><c>false</c> by default: the answer is <see cref="LdapTestResultCode.StrongerAuthRequired"/>.</value>
    public bool AllowAnonymousUpdate { get; set; }

    /// <summary>
    /// Whether a bind with a name and an empty password succeeds, as it does on some servers, and leaves the connection
    /// anonymous.
    /// </summary>
    /// <value><c>false</c> by default: the answer is <see cref="LdapTestResultCode.UnwillingToPerform"/>, as OpenLDAP gives
    /// it.</value>
    /// <remarks>RFC 4513, section 5.1.2. Code that takes such a success for a right password lets everybody in.</remarks>
    public bool AllowUnauthenticatedBind { get; set; }

    /// <summary>The certificate of the server, with its private key.</summary>
    /// <value><c>null</c> by default: no TLS. With one, clients can start TLS (RFC 4511, section 4.14), or see
    /// <see cref="UseLdaps"/>.</value>
    /// <remarks>The server does not dispose it.</remarks>
    public X509Certificate2? ServerCertificate { get; set; }

    /// <summary>Whether every connection begins with TLS, as on the port of ldaps.</summary>
    /// <value><c>false</c> by default; <c>true</c> needs a <see cref="ServerCertificate"/>.</value>
    public bool UseLdaps { get; set; }

    /// <summary>How long a message of a client may be; a longer one ends its connection.</summary>
    /// <value>1,048,576 bytes by default; 1,024 to 67,108,864.</value>
    public int MaxMessageSize { get; set; } = 1024 * 1024;

    /// <summary>How deep and, or and not may stand in each other in a filter; a deeper one ends its connection.</summary>
    /// <value>100 by default; 1 to 1,000.</value>
    public int MaxFilterDepth { get; set; } = 100;

    /// <summary>How many operations <see cref="LdapTestServer.GetOperations"/> remembers; the oldest go first.</summary>
    /// <value>10,000 by default; 0 to 1,000,000.</value>
    public int MaxRememberedOperations { get; set; } = 10_000;

    /// <summary>The clock of delays, of the idle timeout and of the time stamps of entries.</summary>
    /// <value><see cref="TimeProvider.System"/> by default; not null.</value>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>A copy that the caller can no longer change; or one exception that names every invalid setting.</summary>
    internal LdapTestServerOptions Freeze()
    {
        var errors = new SettingErrors();
        errors.CheckRange(Port, nameof(Port), 0, IPEndPoint.MaxPort);
        errors.Check(
            LdapDn.TryParse(BaseDn ?? "", out var dn) && dn.Depth > 0,
            nameof(BaseDn),
            BaseDn,
            "a distinguished name that is not empty");
        errors.CheckRange(MaxMessageSize, nameof(MaxMessageSize), 1024, 64 * 1024 * 1024);
        errors.CheckRange(MaxFilterDepth, nameof(MaxFilterDepth), 1, 1000);
        errors.CheckRange(MaxRememberedOperations, nameof(MaxRememberedOperations), 0, 1_000_000);
        errors.CheckNotNull(TimeProvider, nameof(TimeProvider));
        errors.Check(
            ServerCertificate is null or { HasPrivateKey: true },
            nameof(ServerCertificate),
            "without a private key",
            "null or one with its private key");
        errors.Check(!UseLdaps || ServerCertificate is not null, nameof(UseLdaps), UseLdaps, "false without a ServerCertificate");
        errors.ThrowIfAny(this);
        return (LdapTestServerOptions)MemberwiseClone();
    }
}
