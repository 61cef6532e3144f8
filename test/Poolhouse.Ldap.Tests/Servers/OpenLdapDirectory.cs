using System.DirectoryServices.Protocols;
using System.Net;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Ldap.Tests.Servers;

internal sealed class OpenLdapDirectory : TestDirectory
{
    private readonly TemporarySlapd _server;

    private OpenLdapDirectory(TemporarySlapd server) => _server = server;

    public override int Port => _server.Port;

    public override int TlsPort => _server.TlsPort;

    public static async Task<OpenLdapDirectory> StartAsync(
        TimeSpan idleTimeout = default, (string Certificate, string Key, string Authority)? tls = null)
    {
        SkipWithoutLibrary();
        Assert.SkipUnless(TemporarySlapd.TryFind(out var reason), reason);
        return new OpenLdapDirectory(
            await TemporarySlapd.StartAsync(
                new TemporarySlapdOptions { Ldif = Entries.Ldif, IdleTimeout = idleTimeout, Tls = tls },
                TestContext.Current.CancellationToken));
    }

    public override Task StopAsync() => _server.StopAsync();

    public override Task KillAsync() => _server.KillAsync();

    public override Task StartAgainAsync() => _server.StartAgainAsync();

    public override void Freeze() => _server.Freeze();

    public override void Thaw() => _server.Thaw();

    public override Task<IReadOnlyList<string>> IdentitiesAsync() => Task.Run(IReadOnlyList<string> () =>
    {
        const string Authorization = "monitorConnectionAuthzDN";
        using var admin = ConnectAsAdmin();
        var response = (SearchResponse)admin.SendRequest(
            new SearchRequest(
                "cn=Connections,cn=Monitor", "(objectClass=monitorConnection)", SearchScope.OneLevel, Authorization));
        return
        [
            .. response.Entries.Cast<SearchResultEntry>()
                .Select(entry => entry.Attributes[Authorization]?[0] as string ?? "")
                .Where(name => !name.Equals(_server.AdminDn, StringComparison.OrdinalIgnoreCase)),
        ];
    });

    public override Task SetPasswordAsync(string distinguishedName, string password) => Task.Run(() =>
    {
        using var admin = ConnectAsAdmin();
        admin.SendRequest(new ModifyRequest(distinguishedName, DirectoryAttributeOperation.Replace, "userPassword", password));
    });

    public override ValueTask DisposeAsync() => _server.DisposeAsync();

    private LdapConnection ConnectAsAdmin()
    {
        var connection = new LdapConnection(
            new LdapDirectoryIdentifier("127.0.0.1", Port), new NetworkCredential(_server.AdminDn, _server.AdminPassword),
            AuthType.Basic);
        connection.SessionOptions.ProtocolVersion = 3;
        connection.Bind();
        return connection;
    }
}
