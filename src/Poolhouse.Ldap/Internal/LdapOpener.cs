using System.Collections.Concurrent;
using System.DirectoryServices.Protocols;
using System.Net;
using System.Text;
using Poolhouse.Ldap.Internal.Native;
using Poolhouse.Ldap.Internal.Servers;

namespace Poolhouse.Ldap.Internal;

/// <summary>Opens and checks connections. Blocking: for the pool's threads.</summary>
internal sealed class LdapOpener(LdapPoolOptions options)
{
    private const string WhoAmIOperation = "1.3.6.1.4.1.4203.1.11.3";
    private const string NoAttributes = "1.1";

    private readonly ConcurrentDictionary<LdapServer, ServerLoss> _losses = new();

    /// <summary>Opens a connection that is bound as the service.</summary>
    public PooledLdapConnection OpenBound(LdapServer server, NetworkCredential? credential) =>
        Open(server, forUsers: false, connection =>
    {
        connection.BindService(credential, options.EffectiveAuthType);
        RecordIdentity(connection);
    });

    /// <summary>Opens a connection for binds of users. It is only known that the server answers.</summary>
    public PooledLdapConnection OpenUnbound(LdapServer server) =>
        Open(server, forUsers: true, ReadRoot);

    /// <summary>Binds a connection as the service again.</summary>
    public void Rebind(PooledLdapConnection connection, NetworkCredential? credential)
    {
        connection.Restore();
        connection.BindService(credential, options.EffectiveAuthType);
        RecordIdentity(connection);
    }

    /// <summary>Whether an idle connection works and still has its identity.</summary>
    public static bool Works(PooledLdapConnection connection)
    {
        if (connection.IsBroken)
        {
            return false;
        }

        if (connection.Identity is not { } identity)
        {
            ReadRoot(connection);
            return !connection.IsBroken;
        }

        return string.Equals(TryWhoAmI(connection), identity, StringComparison.Ordinal);
    }

    /// <summary>Checks that the server answers. The answer itself does not matter, unless the server is unavailable.</summary>
    public static void ReadRoot(PooledLdapConnection connection)
    {
        try
        {
            connection.SendRequest(new SearchRequest("", "(objectClass=*)", SearchScope.Base, NoAttributes));
        }
        catch (DirectoryOperationException refused) when (!LdapResults.IsLost(refused))
        {
            // It answers.
        }
    }

    /// <summary>Queries the identity of the connection.</summary>
    /// <returns>An authorization identity (RFC 4513, 5.2.1.8); empty for an anonymous connection.</returns>
    public static string WhoAmI(PooledLdapConnection connection)
    {
        var response = (ExtendedResponse)connection.SendRequest(new ExtendedRequest(WhoAmIOperation));
        return response.ResponseValue is { } value ? Encoding.UTF8.GetString(value) : "";
    }

    private void RecordIdentity(PooledLdapConnection connection) =>
        connection.Identity = options.Validation == LdapValidation.Identity ? TryWhoAmI(connection) : null;

    private static string? TryWhoAmI(PooledLdapConnection connection)
    {
        try
        {
            return WhoAmI(connection);
        }
        catch (DirectoryOperationException refused) when (!LdapResults.IsLost(refused))
        {
            return null;
        }
    }

    private PooledLdapConnection Open(LdapServer server, bool forUsers, Action<PooledLdapConnection> begin)
    {
        try
        {
            var connection = Create(server, forUsers);
            try
            {
                if (options.Security == LdapSecurity.StartTls)
                {
                    StartTls(connection);
                }

                begin(connection);
                connection.EndCreation();
                return connection;
            }
            catch
            {
                connection.Dispose();
                throw;
            }
        }
        catch (Exception failure) when (Libldap.IsMissing(failure))
        {
            throw Libldap.Missing(failure);
        }
    }

    private static void StartTls(PooledLdapConnection connection)
    {
        // The other way to make it connect is a request. This one contains nothing confidential.
        if (!LdapInternals.TrySetAddress(connection))
        {
            ReadRoot(connection);
        }

        connection.Options.StartTransportLayerSecurity(null);
    }

    private PooledLdapConnection Create(LdapServer server, bool forUsers)
    {
        LdapInternals.Prepare();
        var identifier =
            new LdapDirectoryIdentifier(server.Host, server.Port, options.ServerNameIsFullyQualified, connectionless: false);
        var loss = _losses.GetOrAdd(server, static (_, clock) => new ServerLoss(clock), options.Pool.TimeProvider);
        var connection = new PooledLdapConnection(
            identifier, server, forUsers ? AuthType.Basic : options.EffectiveAuthType, loss, options.Security, parks: !forUsers);
        try
        {
            connection.SetDefaults(options.OperationTimeout);
            connection.Options.ProtocolVersion = options.ProtocolVersion;
            connection.Options.ReferralChasing = ReferralChasingOptions.None;
            if (options.Security == LdapSecurity.Ssl)
            {
                connection.Options.SecureSocketLayer = true;
            }

            if (options.TrustedCertificatesDirectory is { } folder && !OperatingSystem.IsWindows())
            {
                connection.Options.TrustedCertificatesDirectory = folder;
                connection.Options.StartNewTlsSessionContext();
            }

            if (options.VerifyServerCertificate is { } verify)
            {
                connection.Options.VerifyServerCertificate = verify;
            }

            options.Configure?.Invoke(connection);
            LdapReferrals.ThrowIfFollowed(connection.Options, options.Security);
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }
}
