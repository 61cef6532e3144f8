using System.DirectoryServices.Protocols;
using System.Net;
using Poolhouse.Ldap.Internal;
using Poolhouse.Ldap.Internal.Native;
using Poolhouse.Ldap.Internal.Servers;
using Poolhouse.Servers;

namespace Poolhouse.Ldap;

/// <summary>The settings of a pool of LDAP connections. Only <see cref="Servers"/> or
/// <see cref="DnsDomain"/> has to be set.</summary>
/// <remarks>
/// A pool copies its options; changing them later has no effect on it. All settings are validated together, and one exception
/// names every invalid one. <c>ToString()</c> shows no setting. Not thread safe.
/// </remarks>
public sealed partial class LdapPoolOptions
{
    /// <summary>
    /// The largest <see cref="MaxThreads"/>, which is also the upper limit of the number derived from the sizes of the pools.
    /// </summary>
    internal const int LargestMaxThreads = 10_000;

    /// <summary>
    /// The directory servers, the most preferred first: <c>name</c>, <c>name:port</c>, <c>ldap://name:port</c> or
    /// <c>ldaps://name:port</c>.
    /// </summary>
    /// <value>
    /// Empty by default; at least one is required, each listed once, unless <see cref="DnsDomain"/> is set. Either all with
    /// <c>ldaps</c>, or none.
    /// </value>
    public IList<string> Servers { get; init; } = [];

    /// <summary>
    /// The domain whose servers are found through DNS, in SRV records <c>_ldap._tcp.{domain}</c> (RFC 2782): <c>example.org</c>,
    /// <c>dc._msdcs.example.org</c>.
    /// </summary>
    /// <value>
    /// <c>null</c> by default. A domain in ASCII of at most 242 characters, with neither <see cref="Servers"/> nor
    /// <see cref="Port"/>, and without <see cref="LdapSecurity.Ssl"/>, because the records name plain ports. Not on Windows:
    /// list the domain in <see cref="Servers"/> instead, because Windows finds the domain controllers itself.
    /// </value>
    /// <remarks>
    /// Records with the lowest priority value come first; within one priority the order is random by weight, and stays until DNS
    /// names other servers. The first creation waits for the lookup; later ones use the known servers.
    /// </remarks>
    public string? DnsDomain { get; set; }

    /// <summary>
    /// How old the answer from DNS may be before a creation triggers a new query. libldap does not report a time to live.
    /// </summary>
    /// <value>1 hour by default; 1 second to 1 day.</value>
    /// <remarks>
    /// After a creation that reached no server, and after a failed lookup, DNS is queried sooner, at most once per
    /// <see cref="ServerSetOptions.RecheckDelay"/>; until it has answered for the first time, by each creation. If DNS does not
    /// answer, the list of servers does not change. Has no effect without <see cref="DnsDomain"/>.
    /// </remarks>
    public TimeSpan DnsRefreshInterval { get; set; } = TimeSpan.FromHours(1);

    /// <summary>The port of servers that are listed without one.</summary>
    /// <value><c>null</c> by default: 389, or 636 with <see cref="LdapSecurity.Ssl"/>. Otherwise 1 to 65,535.</value>
    public int? Port { get; set; }

    /// <summary>How connections are protected.</summary>
    /// <value>
    /// <see cref="LdapSecurity.None"/> by default. Servers that begin with <c>ldaps://</c>, and the ports 636 and 3269, turn
    /// <see cref="LdapSecurity.Ssl"/> on.
    /// </value>
    public LdapSecurity Security { get; set; }

    /// <summary>How the service is authenticated.</summary>
    /// <value>
    /// <c>null</c> by default: <see cref="System.DirectoryServices.Protocols.AuthType.Basic"/> (a simple bind) where a credential
    /// is given, otherwise
    /// <see cref="System.DirectoryServices.Protocols.AuthType.Anonymous"/>. On Linux only these two are available, and Negotiate
    /// and Kerberos with the ticket of the process.
    /// </value>
    public AuthType? AuthType { get; set; }

    /// <summary>The user name of the service: a distinguished name for simple binds.</summary>
    /// <value><c>null</c> by default.</value>
    public string? UserName { get; set; }

    /// <summary>The password of <see cref="UserName"/>.</summary>
    /// <value><c>null</c> by default; not empty if a simple bind is used. Never shown or logged.</value>
    public string? Password { get; set; }

    /// <summary>
    /// A callback that supplies the credential of the service, called before each of its binds, so that a rotated password takes
    /// effect.
    /// </summary>
    /// <value><c>null</c> by default: <see cref="UserName"/> and <see cref="Password"/>, which must be null otherwise.</value>
    /// <remarks>
    /// When it returns another credential than before, connections bound with the old one are replaced within
    /// <see cref="CredentialSpread"/>.
    /// </remarks>
    public Func<CancellationToken, ValueTask<NetworkCredential>>? Credentials { get; set; }

    /// <summary>The period within which connections bound with an old credential are replaced.</summary>
    /// <value>1 minute by default; zero (at once) to 1 day. Leased connections are replaced when they are returned.</value>
    public TimeSpan CredentialSpread { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>The version of the protocol.</summary>
    /// <value>3 by default; 2 or 3.</value>
    public int ProtocolVersion { get; set; } = 3;

    /// <summary>
    /// Whether the names of servers are fully qualified, so that Windows need not look for a domain of that name.
    /// </summary>
    /// <value>False by default. Has no effect elsewhere.</value>
    public bool ServerNameIsFullyQualified { get; set; }

    /// <summary>
    /// How long one operation may take: <see cref="LdapConnection"/>'s own timeout, and the timeout that the pool itself
    /// enforces.
    /// </summary>
    /// <value>
    /// 30 seconds by default, as in LdapConnection, which gets it rounded up to whole seconds; 1 millisecond to 24 days. Opening
    /// a connection is limited by <see cref="ResourcePoolOptions.CreateTimeout"/> as well.
    /// </value>
    /// <remarks>
    /// While all <see cref="MaxThreads"/> threads are busy, a call may wait for one for the same time in addition.
    /// </remarks>
    public TimeSpan OperationTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>A folder with the certificates of private authorities to trust. Not on Windows.</summary>
    /// <value>
    /// <c>null</c> by default: those that the system trusts. Otherwise an existing folder, with file names as created by
    /// <c>openssl rehash</c>.
    /// </value>
    public string? TrustedCertificatesDirectory { get; set; }

    /// <summary>Decides whether a server's certificate is trusted. On Windows only.</summary>
    /// <value><c>null</c> by default: Windows decides.</value>
    public VerifyServerCertificateCallback? VerifyServerCertificate { get; set; }

    /// <summary>Configures a new connection before it is opened: keep-alive probes, client certificates.</summary>
    /// <value>
    /// <c>null</c> by default. Called on a thread of the pool. If it throws, that creation fails with its exception.
    /// </value>
    /// <remarks>
    /// <see cref="LdapSessionOptions.ReferralChasing"/> is off, and can be turned on here only with
    /// <see cref="LdapSecurity.None"/>: the LDAP library follows referrals without TLS and repeats the request there, passwords
    /// included.
    /// </remarks>
    public Action<LdapConnection>? Configure { get; set; }

    /// <summary>How an idle connection is validated and kept alive.</summary>
    /// <value><see cref="LdapValidation.Identity"/> by default.</value>
    public LdapValidation Validation { get; set; }

    /// <summary>Which requests are sent again, once, when a pooled connection turns out to be dead.</summary>
    /// <value>
    /// <see cref="LdapRetries.None"/> by default: only what the pool itself reads (<see cref="LdapConnectionPool.WhoAmIAsync"/>).
    /// </value>
    public LdapRetries Retries { get; set; }

    /// <summary>The options of the pool of connections for operations: sizes, lifetimes and timeouts.</summary>
    /// <value>
    /// Not null. By default <see cref="ResourcePoolOptions.MaxSize"/> is 50, and the other options have their defaults.
    /// </value>
    public ResourcePoolOptions Pool { get; set; } = new() { MaxSize = 50 };

    /// <summary>
    /// The options of the pool of connections that check passwords: sizes, lifetimes and timeouts. They are opened by the first
    /// check.
    /// </summary>
    /// <value>
    /// Not null. By default <see cref="ResourcePoolOptions.MaxSize"/> is 10, and the other options have their defaults.
    /// </value>
    public ResourcePoolOptions VerifyPool { get; set; } = new() { MaxSize = 10 };

    /// <summary>How many passwords one connection checks before it is replaced.</summary>
    /// <value>1,000 by default; 1 or more.</value>
    public int MaxBindsPerConnection { get; set; } = 1_000;

    /// <summary>
    /// How the server of a new connection is selected, how failed servers are avoided, and when connections fail back.
    /// </summary>
    /// <value>Not null.</value>
    public ServerSetOptions ServerSet { get; set; } = new();

    /// <summary>How many threads may be inside blocking calls of libldap or Windows at once.</summary>
    /// <value>
    /// <c>null</c> by default: one for each connection that both pools may have, and one more with <see cref="DnsDomain"/>.
    /// Otherwise 1 to 10,000.
    /// </value>
    public int? MaxThreads { get; set; }

    /// <summary>
    /// How many threads that are stuck in such a call are replaced before the pool continues with fewer threads.
    /// </summary>
    /// <value><c>null</c> by default: as many as <see cref="MaxThreads"/>. Otherwise 0 to 10,000.</value>
    public int? MaxStuckThreads { get; set; }

    /// <summary>Queries DNS for the servers of a domain; blocks.</summary>
    internal Func<string, DnsAnswer> QueryDns { get; set; } = Libldap.QueryDns;

    /// <summary>
    /// Reads a connection string such as <c>Server=ldap.example.org; Security=StartTls; User Name="cn=app,dc=example,dc=org";
    /// Password=…</c>.
    /// </summary>
    /// <param name="connectionString">Keywords and values; the guide lists the keywords.</param>
    /// <returns>Options, which may be changed further. They are validated when a pool is created.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="connectionString"/> is null.</exception>
    /// <exception cref="ArgumentException">It cannot be read; the message names every keyword that is unknown or has a value out
    /// of its range, and shows no password.</exception>
    public static LdapPoolOptions Parse(string connectionString)
    {
        ArgumentNullException.ThrowIfNull(connectionString);
        var options = new LdapPoolOptions();
        LdapConnectionString.Read(connectionString, options);
        return options;
    }

    /// <summary>
    /// Sets the options that a connection string contains; the others keep their values. Its servers replace those in
    /// <see cref="Servers"/>.
    /// </summary>
    /// <param name="connectionString">As for <see cref="Parse"/>.</param>
    /// <remarks>
    /// <see cref="Pool"/>, <see cref="VerifyPool"/> and <see cref="ServerSet"/> are replaced by copies before they are changed.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="connectionString"/> is null.</exception>
    /// <exception cref="ArgumentException">As for <see cref="Parse"/>; nothing was changed.</exception>
    public void Apply(string connectionString)
    {
        var parsed = Parse(connectionString);
        (Pool, VerifyPool, ServerSet) = (Pool.Copy(), VerifyPool.Copy(), ServerSet.Copy());
        if (parsed.Servers.Count > 0)
        {
            Servers.Clear();
        }

        LdapConnectionString.Read(connectionString, this);
    }

    /// <summary>The name of the type: options hold secrets.</summary>
    /// <returns>A constant.</returns>
    public override string ToString() => nameof(LdapPoolOptions);
}
