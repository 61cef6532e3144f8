using System.Security.Cryptography.X509Certificates;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Ldap.Tests.Servers;

internal sealed class InProcessDirectory : TestDirectory
{
    private readonly X509Certificate2? _certificate;

    private InProcessDirectory(LdapTestServer server, X509Certificate2? certificate)
    {
        Server = server;
        _certificate = certificate;
    }

    public LdapTestServer Server { get; }

    public override int Port => Server.Port;

    public static InProcessDirectory Start(
        TimeSpan idleTimeout = default, (string Certificate, string Key, string Authority)? tls = null, bool ldaps = false,
        TimeProvider? time = null)
    {
        SkipWithoutLibrary();
        var certificate = tls is { } files ? X509Certificate2.CreateFromPemFile(files.Certificate, files.Key) : null;
        var server = LdapTestServer.Start(new LdapTestServerOptions
        {
            ServerCertificate = certificate,
            UseLdaps = ldaps,
            TimeProvider = time ?? TimeProvider.System,
        });
        server.Directory.LoadLdif(Entries.Ldif);
        if (idleTimeout > TimeSpan.Zero)
        {
            server.Faults.IdleTimeout = idleTimeout;
        }

        return new InProcessDirectory(server, certificate);
    }

    public override Task StopAsync()
    {
        Server.Stop();
        return Task.CompletedTask;
    }

    public override Task KillAsync() => StopAsync();

    public override Task StartAgainAsync()
    {
        Server.Restart();
        return Task.CompletedTask;
    }

    public override void Freeze() => Server.Faults.HalfOpen = true;

    public override void Thaw() => Server.Faults.HalfOpen = false;

    public override Task<IReadOnlyList<string>> IdentitiesAsync() =>
        Task.FromResult<IReadOnlyList<string>>([.. Server.GetConnections().Select(connection => connection.BoundDn)]);

    public override Task SetPasswordAsync(string distinguishedName, string password)
    {
        Server.Directory.SetPassword(distinguishedName, password);
        return Task.CompletedTask;
    }

    public override async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        _certificate?.Dispose();
    }
}
