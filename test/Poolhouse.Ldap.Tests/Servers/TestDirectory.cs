using System.DirectoryServices.Protocols;
using System.Net;
using Poolhouse.Ldap.Internal;
using Poolhouse.Ldap.Internal.Native;

namespace Poolhouse.Ldap.Tests.Servers;

/// <summary>A directory of the test's own, of one kind or another.</summary>
internal abstract class TestDirectory : IAsyncDisposable
{
    public abstract int Port { get; }

    public string Address => $"127.0.0.1:{Port}";

    /// <summary>Skips the test where System.DirectoryServices.Protocols cannot work.</summary>
    public static void SkipWithoutLibrary()
    {
        try
        {
            using var connection = new LdapConnection("127.0.0.1");

            // As a pool does: otherwise, the end of a child process is taken for the loss of a server, also on connections that
            // are no pool's.
            Libldap.TryRestartAfterSignals();
        }
        catch (Exception missing) when (Libldap.IsMissing(missing))
        {
            Assert.Skip("libldap is not installed (libldap-2.5-0 on Debian 12)");
        }
    }

    // The clock is that of a directory in this process: OpenLDAP has the system's.
    public static async Task<TestDirectory> StartAsync(
        DirectoryKind kind, TimeSpan idleTimeout = default, (string Certificate, string Key, string Authority)? tls = null,
        TimeProvider? time = null) =>
        kind == DirectoryKind.InProcess
            ? InProcessDirectory.Start(idleTimeout, tls, time: time)
            : await OpenLdapDirectory.StartAsync(idleTimeout, tls);

    public virtual int TlsPort => 0;

    public abstract Task StopAsync();

    public abstract Task KillAsync();

    public abstract Task StartAgainAsync();

    public abstract void Freeze();

    public abstract void Thaw();

    /// <summary>As whom the connections are bound that the server has; empty for anonymous ones.</summary>
    public abstract Task<IReadOnlyList<string>> IdentitiesAsync();

    public abstract Task SetPasswordAsync(string distinguishedName, string password);

    public abstract ValueTask DisposeAsync();

    public async Task RestartAsync()
    {
        await KillAsync();
        await StartAgainAsync();
    }

    /// <summary>The settings of a pool for this directory.</summary>
    public LdapPoolOptions Options(Action<LdapPoolOptions>? change = null)
    {
        var options =
            new LdapPoolOptions { Servers = { Address }, UserName = Entries.Service, Password = Entries.ServicePassword };
        options.Pool.MaxSize = 4;
        options.Pool.RetryDelay = TimeSpan.FromMilliseconds(20);
        options.Pool.MaxRetryDelay = TimeSpan.FromMilliseconds(200);
        options.VerifyPool.MaxSize = 2;
        options.VerifyPool.RetryDelay = TimeSpan.FromMilliseconds(20);
        options.VerifyPool.MaxRetryDelay = TimeSpan.FromMilliseconds(200);
        change?.Invoke(options);
        return options;
    }

    public LdapConnectionPool Pool(Action<LdapPoolOptions>? change = null) => new(Options(change));

    /// <summary>A connection as any program makes it, bound as the service.</summary>
    public LdapConnection Connect()
    {
        var connection = new LdapConnection(
            new LdapDirectoryIdentifier("127.0.0.1", Port), new NetworkCredential(Entries.Service, Entries.ServicePassword),
            AuthType.Basic);
        connection.SessionOptions.ProtocolVersion = 3;
        connection.Bind();
        return connection;
    }
}
