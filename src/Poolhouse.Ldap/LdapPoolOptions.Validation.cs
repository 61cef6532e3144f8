using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Internal;
using Poolhouse.Ldap.Internal.Servers;
using Poolhouse.Servers;

namespace Poolhouse.Ldap;

public sealed partial class LdapPoolOptions
{
    private const int PlainPort = 389;
    private const int SslPort = 636;
    private const int GlobalCatalogSslPort = 3269;

    /// <summary>The servers as they were listed. Set on snapshots.</summary>
    private IReadOnlyList<string> GivenServers { get; set; } = [];

    /// <summary>The parsed servers. Set on frozen options.</summary>
    internal IReadOnlyList<LdapServer> ServerList { get; private set; } = [];

    // A value that is not a domain may be anything, such as a URI with a password in it.
    private string? ShownDnsDomain => DnsDomain switch
    {
        null => null,
        "" => "empty",
        _ => SrvRecords.IsDomain(DnsDomain) ? DnsDomain : "(not shown)",
    };

    internal AuthType EffectiveAuthType =>
        AuthType ?? (UserName is null && Credentials is null
            ? System.DirectoryServices.Protocols.AuthType.Anonymous
            : System.DirectoryServices.Protocols.AuthType.Basic);

    internal int EffectiveMaxThreads =>
        MaxThreads ?? (int)Math.Min((long)Pool.MaxSize + VerifyPool.MaxSize + (DnsDomain is null ? 0 : 1), LargestMaxThreads);

    /// <summary>
    /// Returns a copy that the caller can no longer change, with names, or throws one exception that names every invalid setting.
    /// </summary>
    internal LdapPoolOptions Freeze()
    {
        var copy = (LdapPoolOptions)MemberwiseClone();
        var errors = new PoolOptionErrors();
        copy.Validate(errors);
        errors.ThrowIfAny(this);
        copy.Pool = Pool.Copy();
        copy.VerifyPool = VerifyPool.Copy();
        copy.ServerSet = ServerSet.Copy();
        copy.Pool.Name ??= PoolNames.For(typeof(LdapConnectionPool));
        copy.VerifyPool.Name ??= copy.Pool.Name + "/verify";
        return copy;
    }

    /// <summary>
    /// Returns settings that can replace the current ones of a pool, or throws one exception that names every setting that is
    /// invalid or cannot be changed.
    /// </summary>
    /// <param name="given">The settings that the pool was given, not frozen.</param>
    /// <param name="current">The current settings, frozen.</param>
    internal LdapPoolOptions FreezeChange(LdapPoolOptions given, LdapPoolOptions current)
    {
        var errors = new PoolOptionErrors();
        ((LdapPoolOptions)MemberwiseClone()).Validate(errors);
        ValidateChange(errors, given);
        errors.ThrowIfAny(this);
        var copy = (LdapPoolOptions)current.MemberwiseClone();
        copy.Pool = Pool.Copy();
        copy.Pool.Name = current.Pool.Name;
        copy.VerifyPool = VerifyPool.Copy();
        copy.VerifyPool.Name = current.VerifyPool.Name;
        copy.CredentialSpread = CredentialSpread;
        copy.Retries = Retries;
        return copy;
    }

    /// <summary>Returns a copy that the caller can no longer change, as it is.</summary>
    internal LdapPoolOptions Snapshot()
    {
        var copy = (LdapPoolOptions)MemberwiseClone();
        copy.Pool = Pool.Copy();
        copy.VerifyPool = VerifyPool.Copy();
        copy.ServerSet = ServerSet.Copy();
        copy.GivenServers = [.. Servers];
        return copy;
    }

    private static bool AreSame(ServerSetOptions one, ServerSetOptions other) =>
        one.Selection == other.Selection && one.AttemptTimeout == other.AttemptTimeout && one.RecheckDelay == other.RecheckDelay
        && one.MaxRecheckDelay == other.MaxRecheckDelay && one.FailBackAge == other.FailBackAge
        && one.TimeProvider == other.TimeProvider;

    private void ValidateChange(PoolOptionErrors errors, LdapPoolOptions given)
    {
        const string unchanged = "the same as before, because it cannot be changed";
        errors.Check(
            Servers is null || Servers.SequenceEqual(given.GivenServers, StringComparer.Ordinal), nameof(Servers), "another list",
            unchanged + "; use ReplaceServers");
        errors.CheckUnchanged(ShownDnsDomain, nameof(DnsDomain), given.DnsDomain);
        errors.CheckUnchanged(DnsRefreshInterval, nameof(DnsRefreshInterval), given.DnsRefreshInterval);
        errors.CheckUnchanged(Port, nameof(Port), given.Port);
        errors.CheckUnchanged(Security, nameof(Security), given.Security);
        errors.CheckUnchanged(AuthType, nameof(AuthType), given.AuthType);
        errors.Check(
            string.Equals(UserName, given.UserName, StringComparison.Ordinal), nameof(UserName), "another one",
            unchanged + "; use Credentials");
        errors.Check(
            string.Equals(Password, given.Password, StringComparison.Ordinal), nameof(Password), "another one",
            unchanged + "; use Credentials");
        errors.CheckSame(Credentials, nameof(Credentials), given.Credentials);
        errors.CheckUnchanged(ProtocolVersion, nameof(ProtocolVersion), given.ProtocolVersion);
        errors.CheckUnchanged(ServerNameIsFullyQualified, nameof(ServerNameIsFullyQualified), given.ServerNameIsFullyQualified);
        errors.CheckUnchanged(OperationTimeout, nameof(OperationTimeout), given.OperationTimeout);
        errors.CheckUnchanged(
            TrustedCertificatesDirectory, nameof(TrustedCertificatesDirectory), given.TrustedCertificatesDirectory);
        errors.CheckSame(VerifyServerCertificate, nameof(VerifyServerCertificate), given.VerifyServerCertificate);
        errors.CheckSame(Configure, nameof(Configure), given.Configure);
        errors.CheckUnchanged(Validation, nameof(Validation), given.Validation);
        errors.CheckUnchanged(MaxBindsPerConnection, nameof(MaxBindsPerConnection), given.MaxBindsPerConnection);
        errors.CheckUnchanged(MaxThreads, nameof(MaxThreads), given.MaxThreads);
        errors.CheckUnchanged(MaxStuckThreads, nameof(MaxStuckThreads), given.MaxStuckThreads);
        errors.Check(ServerSet is null || AreSame(ServerSet, given.ServerSet), nameof(ServerSet), "another one", unchanged);
        Pool?.ValidateChange(errors, nameof(Pool) + ".", given.Pool);
        VerifyPool?.ValidateChange(errors, nameof(VerifyPool) + ".", given.VerifyPool);
    }

    /// <summary>Parses a list of servers according to these options.</summary>
    /// <param name="servers">The list.</param>
    /// <param name="errors">Receives the errors in the list.</param>
    /// <param name="security">How connections to them are protected: the list may require <see cref="LdapSecurity.Ssl"/>.</param>
    internal IReadOnlyList<LdapServer> ParseServers(
        IEnumerable<string> servers, PoolOptionErrors errors, out LdapSecurity security)
    {
        security = Security;
        var addresses = servers.Select(ServerAddress.Read).ToList();
        errors.Check(addresses.Count > 0, nameof(Servers), "empty", "at least one server, or a DnsDomain");
        foreach (var unreadable in addresses.Where(address => address.Host.Length == 0))
        {
            errors.Check(
                valid: false, nameof(Servers), unreadable.Text,
                "name, name:port, ldap://name:port or ldaps://name:port, with a port of 1 to 65,535");
        }

        var secure = addresses.Count(address => address.IsSecure == true);
        errors.Check(
            secure == 0 || secure == addresses.Count, nameof(Servers), "of both kinds", "ldaps:// for all servers, or for none");
        if (secure > 0 || (Port ?? 0) is SslPort or GlobalCatalogSslPort
            || addresses.Exists(address => address is { IsSecure: null, Port: SslPort or GlobalCatalogSslPort }))
        {
            errors.Check(
                Security != LdapSecurity.StartTls, nameof(Security), Security,
                "Ssl (or None), because the servers or ports are those of ldaps");
            security = LdapSecurity.Ssl;
        }

        var port = Port ?? (security == LdapSecurity.Ssl ? SslPort : PlainPort);
        List<LdapServer> list = [.. addresses.Where(address => address.Host.Length > 0)
            .Select(address => new LdapServer(address.Host, address.Port ?? port))];
        var twice = list.GroupBy(server => server).FirstOrDefault(group => group.Count() > 1)?.Key;
        errors.Check(
            twice is null, nameof(Servers), twice is null ? null : $"{twice.Host}:{twice.Port}, twice", "each server once");
        return list;
    }

    private void Validate(PoolOptionErrors errors)
    {
        errors.Check(Enum.IsDefined(Security), nameof(Security), Security, "None, Ssl or StartTls");
        errors.Check(Port is null or (>= 1 and <= 65_535), nameof(Port), Port, "null or 1 to 65,535");
        errors.CheckNotNull(Servers, nameof(Servers));
        ValidateDns(errors);
        if (Servers is not null && DnsDomain is null)
        {
            ServerList = ParseServers(Servers, errors, out var security);
            Security = security;
        }

        errors.Check(ProtocolVersion is 2 or 3, nameof(ProtocolVersion), ProtocolVersion, "2 or 3");
        errors.Check(
            ProtocolVersion == 3 || Security != LdapSecurity.StartTls, nameof(ProtocolVersion), ProtocolVersion,
            "3 with StartTls");
        ValidateCredentials(errors);
        var tick = TimeSpan.FromMilliseconds(1);
        errors.Check(
            OperationTimeout >= tick && OperationTimeout <= TimeSpan.FromDays(24), nameof(OperationTimeout), OperationTimeout,
            "00:00:00.0010000 to 24.00:00:00");
        errors.Check(
            CredentialSpread >= TimeSpan.Zero && CredentialSpread <= TimeSpan.FromDays(1), nameof(CredentialSpread),
            CredentialSpread, "00:00:00 to 1.00:00:00");
        errors.Check(Enum.IsDefined(Validation), nameof(Validation), Validation, "Identity, RootDse or None");
        errors.Check(
            (Retries & ~AllRetries) == LdapRetries.None, nameof(Retries), Retries, "a combination of the names of LdapRetries");
        errors.Check(MaxBindsPerConnection >= 1, nameof(MaxBindsPerConnection), MaxBindsPerConnection, "1 or more");
        errors.Check(
            MaxThreads is null or (>= 1 and <= LargestMaxThreads), nameof(MaxThreads), MaxThreads, "null or 1 to 10,000");
        errors.Check(
            MaxStuckThreads is null or (>= 0 and <= LargestMaxThreads), nameof(MaxStuckThreads), MaxStuckThreads,
            "null or 0 to 10,000");
        ValidateTrust(errors);
        errors.CheckNotNull(Pool, nameof(Pool));
        Pool?.Validate(errors, prefix: nameof(Pool) + ".");
        errors.CheckNotNull(VerifyPool, nameof(VerifyPool));
        VerifyPool?.Validate(errors, prefix: nameof(VerifyPool) + ".");
        errors.CheckNotNull(ServerSet, nameof(ServerSet));
        ServerSet?.Validate(errors, prefix: nameof(ServerSet) + ".");
    }

    private void ValidateDns(PoolOptionErrors errors)
    {
        var second = TimeSpan.FromSeconds(1);
        errors.Check(
            DnsRefreshInterval >= second && DnsRefreshInterval <= TimeSpan.FromDays(1), nameof(DnsRefreshInterval),
            DnsRefreshInterval, "00:00:01 to 1.00:00:00");
        if (DnsDomain is null)
        {
            return;
        }

        errors.Check(
            SrvRecords.IsDomain(DnsDomain), nameof(DnsDomain), ShownDnsDomain,
            $"null or a domain of at most {SrvRecords.LongestDomain} characters, such as example.org");
        errors.Check(
            !OperatingSystem.IsWindows(), nameof(DnsDomain), ShownDnsDomain,
            "null on Windows; name the domain in Servers, and Windows finds its controllers");
        errors.Check(Servers is null or { Count: 0 }, nameof(Servers), "set", "empty where DnsDomain is set");
        errors.Check(Port is null, nameof(Port), Port, "null where DnsDomain is set, because SRV records name ports");
        errors.Check(
            Security != LdapSecurity.Ssl, nameof(Security), Security,
            "None or StartTls where DnsDomain is set, because its records name plain ports");
    }

    private const LdapRetries AllRetries = LdapRetries.Reads | LdapRetries.Add | LdapRetries.Modify | LdapRetries.ModifyDn
        | LdapRetries.Delete | LdapRetries.Extended;

    // No credential is shown, not even the user name.
    private void ValidateCredentials(PoolOptionErrors errors)
    {
        var type = EffectiveAuthType;
        var (given, none) = ("set (not shown)", "null");
        errors.Check(Enum.IsDefined(type), nameof(AuthType), type, "one of the names of AuthType");
        errors.Check(
            Credentials is null || (UserName is null && Password is null), nameof(Credentials), given,
            "null where UserName or Password is set");
        errors.Check(Password is null || UserName is not null, nameof(Password), given, "null where UserName is null");
        switch (type)
        {
            case System.DirectoryServices.Protocols.AuthType.Anonymous:
                errors.Check(
                    UserName is null && Credentials is null, nameof(AuthType), type, "Anonymous only without a credential");
                break;
            case System.DirectoryServices.Protocols.AuthType.Basic when Credentials is null:
                errors.Check(
                    !string.IsNullOrWhiteSpace(UserName), nameof(UserName), UserName is null ? none : "blank",
                    "not blank, because a simple bind without a name is anonymous");
                errors.Check(
                    !string.IsNullOrEmpty(Password), nameof(Password), Password is null ? none : "empty",
                    "not empty, because a simple bind without a password proves nothing");
                break;
            default:
                break;
        }
    }

    private void ValidateTrust(PoolOptionErrors errors)
    {
        if (TrustedCertificatesDirectory is { } folder)
        {
            errors.Check(
                !OperatingSystem.IsWindows(), nameof(TrustedCertificatesDirectory), folder,
                "null on Windows; use VerifyServerCertificate");
            errors.Check(Directory.Exists(folder), nameof(TrustedCertificatesDirectory), folder, "null or a folder that exists");
            errors.Check(
                Security != LdapSecurity.None, nameof(TrustedCertificatesDirectory), folder, "null without Ssl or StartTls");
        }

        errors.Check(
            VerifyServerCertificate is null || OperatingSystem.IsWindows(), nameof(VerifyServerCertificate), "set",
            "null except on Windows; use TrustedCertificatesDirectory");
    }
}
