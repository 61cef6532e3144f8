using System.DirectoryServices.Protocols;
using System.Net;

namespace Poolhouse.Ldap;

/// <summary>Creates a pool of LDAP connections with method names like those of LINQ to LDAP's configuration.</summary>
/// <remarks>
/// Each method changes the builder and returns it; settings without a method are in <see cref="Options"/>. Settings are validated
/// together by <see cref="Build"/>. <c>ToString()</c> shows no setting. Not thread safe.
/// <code>
/// await using var pool = new LdapPoolBuilder("ldap.example.org").UseSsl().AuthenticateAs(service).MaxPoolSizeIs(20).Build();
/// </code>
/// </remarks>
public sealed class LdapPoolBuilder
{
    /// <summary>Creates a builder for one or more servers, the most preferred first.</summary>
    /// <param name="servers">As <see cref="LdapPoolOptions.Servers"/>; none with <see cref="UseDnsDomain"/>.</param>
    /// <exception cref="ArgumentNullException"><paramref name="servers"/> is null.</exception>
    public LdapPoolBuilder(params IEnumerable<string> servers)
    {
        ArgumentNullException.ThrowIfNull(servers);
        Options = new LdapPoolOptions { Servers = [.. servers] };
    }

    /// <summary>The settings so far, which may be changed further.</summary>
    public LdapPoolOptions Options { get; }

    /// <summary>Sets how the service is authenticated.</summary>
    /// <param name="authType">As <see cref="LdapPoolOptions.AuthType"/>.</param>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder AuthenticateBy(AuthType authType) => With(options => options.AuthType = authType);

    /// <summary>Sets the credential of the service. Later changes of the object take effect with the next connection.</summary>
    /// <param name="credential">The credential.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="credential"/> is null.</exception>
    public LdapPoolBuilder AuthenticateAs(NetworkCredential credential)
    {
        ArgumentNullException.ThrowIfNull(credential);
        return AuthenticateAs(_ => new ValueTask<NetworkCredential>(credential));
    }

    /// <summary>Sets the callback that supplies the service's credential.</summary>
    /// <param name="credentials">As <see cref="LdapPoolOptions.Credentials"/>.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="credentials"/> is null.</exception>
    public LdapPoolBuilder AuthenticateAs(Func<CancellationToken, ValueTask<NetworkCredential>> credentials)
    {
        ArgumentNullException.ThrowIfNull(credentials);
        return With(options => options.Credentials = credentials);
    }

    /// <summary>Sets the version of the protocol.</summary>
    /// <param name="version">As <see cref="LdapPoolOptions.ProtocolVersion"/>.</param>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder ProtocolVersion(int version) => With(options => options.ProtocolVersion = version);

    /// <summary>Sets how long one operation may take.</summary>
    /// <param name="timeout">As <see cref="LdapPoolOptions.OperationTimeout"/>.</param>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder ConnectionTimeoutIn(TimeSpan timeout) => With(options => options.OperationTimeout = timeout);

    /// <summary>Sets the port of servers that are listed without one.</summary>
    /// <param name="port">As <see cref="LdapPoolOptions.Port"/>.</param>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder UsePort(int port) => With(options => options.Port = port);

    /// <summary>Takes the servers from DNS, instead of those passed to the constructor. Not on Windows.</summary>
    /// <param name="domain">As <see cref="LdapPoolOptions.DnsDomain"/>.</param>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder UseDnsDomain(string domain) => With(options => options.DnsDomain = domain);

    /// <summary>Protects connections with TLS from the first byte.</summary>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder UseSsl() => With(options => options.Security = LdapSecurity.Ssl);

    /// <summary>Protects connections with TLS from the first byte, on the given port.</summary>
    /// <param name="port">As <see cref="LdapPoolOptions.Port"/>.</param>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder UseSsl(int port) => UseSsl().UsePort(port);

    /// <summary>Changes connections to TLS before anything else is sent.</summary>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder StartTls() => With(options => options.Security = LdapSecurity.StartTls);

    /// <summary>Trusts the certificate authorities in a folder. Not on Windows.</summary>
    /// <param name="directory">As <see cref="LdapPoolOptions.TrustedCertificatesDirectory"/>.</param>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder TrustCertificatesIn(string directory) =>
        With(options => options.TrustedCertificatesDirectory = directory);

    /// <summary>Sets the callback that decides whether a server's certificate is trusted. On Windows only.</summary>
    /// <param name="verify">As <see cref="LdapPoolOptions.VerifyServerCertificate"/>.</param>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder VerifyServerCertificateBy(VerifyServerCertificateCallback verify) =>
        With(options => options.VerifyServerCertificate = verify);

    /// <summary>Specifies that the names of servers are fully qualified.</summary>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder ServerNameIsFullyQualified() => With(options => options.ServerNameIsFullyQualified = true);

    /// <summary>Sets the maximum number of connections for operations.</summary>
    /// <param name="size">As <see cref="ResourcePoolOptions.MaxSize"/>.</param>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder MaxPoolSizeIs(int size) => With(options => options.Pool.MaxSize = size);

    /// <summary>Sets how many idle connections are kept ready.</summary>
    /// <param name="size">As <see cref="ResourcePoolOptions.MinIdle"/>.</param>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder MinPoolSizeIs(int size) => With(options => options.Pool.MinIdle = size);

    /// <summary>Sets the maximum age of a connection.</summary>
    /// <param name="age">As <see cref="ResourcePoolOptions.MaxLifetime"/>.</param>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder MaxConnectionAgeIs(TimeSpan age) =>
        With(options => options.Pool.MaxLifetime = options.VerifyPool.MaxLifetime = age);

    /// <summary>Sets how long a connection may stay idle.</summary>
    /// <param name="time">As <see cref="ResourcePoolOptions.IdleTimeout"/>.</param>
    /// <returns>The builder.</returns>
    public LdapPoolBuilder ConnectionIdleTimeIs(TimeSpan time) =>
        With(options => options.Pool.IdleTimeout = options.VerifyPool.IdleTimeout = time);

    /// <summary>Creates the pool.</summary>
    /// <returns>The pool; dispose it.</returns>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
    public LdapConnectionPool Build() => new(Options);

    /// <summary>The name of the type: options hold secrets.</summary>
    /// <returns>A constant.</returns>
    public override string ToString() => nameof(LdapPoolBuilder);

    private LdapPoolBuilder With(Action<LdapPoolOptions> change)
    {
        change(Options);
        return this;
    }
}
