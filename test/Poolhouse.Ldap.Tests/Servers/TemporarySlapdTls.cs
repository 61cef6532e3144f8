using Poolhouse.Tool.Servers;

namespace Poolhouse.Ldap.Tests.Servers;

/// <summary>The option of the temporary OpenLDAP server that gives it a certificate.</summary>
public sealed class TemporarySlapdTls : IDisposable
{
    private readonly PrivateAuthority _authority = new();

    public TemporarySlapdTls()
    {
        TestDirectory.SkipWithoutLibrary();
        Assert.SkipUnless(TemporarySlapd.TryFind(out var reason), reason);
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _authority.Dispose();

    [Fact]
    public async Task With_a_certificate_one_port_is_for_ldaps_and_the_other_for_StartTLS_also_after_a_restart()
    {
        await using var server = await StartAsync(_authority.Files);
        var ports = (server.Port, server.TlsPort);
        Assert.NotEqual(server.Port, server.TlsPort);
        Assert.Equal((Entries.Identity, Entries.Identity), await AskAsync());

        await server.RestartAsync(Token);

        Assert.Equal(ports, (server.Port, server.TlsPort));
        Assert.Equal((Entries.Identity, Entries.Identity), await AskAsync());

        async Task<(string Ldaps, string StartTls)> AskAsync()
        {
            await using var ldaps = Pool(server.TlsPort, LdapSecurity.Ssl);
            await using var startTls = Pool(server.Port, LdapSecurity.StartTls);
            return (await ldaps.WhoAmIAsync(Token), await startTls.WhoAmIAsync(Token));
        }
    }

    [Fact]
    public async Task Without_a_certificate_neither_ldaps_nor_StartTLS_is_available()
    {
        await using var server = await StartAsync(tls: null);
        await using var startTls = Pool(server.Port, LdapSecurity.StartTls);

        var refused = await Assert.ThrowsAsync<PoolUnavailableException>(async () => await startTls.WhoAmIAsync(Token));

        Assert.IsType<System.DirectoryServices.Protocols.DirectoryException>(refused.InnerException, exactMatch: false);
        Assert.Equal(0, server.TlsPort);
    }

    [Theory]
    [InlineData("certificate")]
    [InlineData("key")]
    [InlineData("authority")]
    public async Task A_missing_file_is_named(string which)
    {
        var absent = Path.Combine(_authority.Empty, which);
        var (certificate, key, authority) = _authority.Files;
        var files = which switch
        {
            "certificate" => (absent, key, authority),
            "key" => (certificate, absent, authority),
            _ => (certificate, key, absent),
        };

        var failure = await Assert.ThrowsAsync<ServerFailedException>(() => StartAsync(files));

        Assert.Contains(absent, failure.Message, StringComparison.Ordinal);
    }

    private static Task<TemporarySlapd> StartAsync((string Certificate, string Key, string Authority)? tls) =>
        TemporarySlapd.StartAsync(new TemporarySlapdOptions { Ldif = Entries.Ldif, Tls = tls }, Token);

    private LdapConnectionPool Pool(int port, LdapSecurity security)
    {
        var options = new LdapPoolOptions
        {
            Servers = { $"127.0.0.1:{port}" },
            UserName = Entries.Service,
            Password = Entries.ServicePassword,
            Security = security,
            TrustedCertificatesDirectory = _authority.Trusted,
        };
        options.Pool.OutageTimeout = TimeSpan.Zero;
        return new LdapConnectionPool(options);
    }
}
