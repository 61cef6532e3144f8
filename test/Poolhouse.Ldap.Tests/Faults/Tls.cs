using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Ldap.Tests.Faults;

/// <summary>TLS with a private authority.</summary>
public sealed class Tls
{
    [Theory]
    [InlineData(DirectoryKind.InProcess, LdapSecurity.StartTls)]
    [InlineData(DirectoryKind.OpenLdap, LdapSecurity.StartTls)]
    [InlineData(DirectoryKind.OpenLdap, LdapSecurity.Ssl)]
    public async Task A_client_that_trusts_the_authority_connects_with_ldaps_and_StartTLS(
        DirectoryKind kind, LdapSecurity security)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "libldap takes a folder of authorities, Windows does not");
        using var authority = new PrivateAuthority();
        await using var directory = await TestDirectory.StartAsync(kind, tls: authority.Files);
        await using var pool = Pool(directory, security, authority.Trusted);
        var token = TestContext.Current.CancellationToken;

        Assert.Equal(Entries.Identity, await pool.WhoAmIAsync(token));
        Assert.True(await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, token));
        if (directory is InProcessDirectory own)
        {
            Assert.All(own.Server.GetConnections(), connection => Assert.True(connection.IsEncrypted));
        }
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess, LdapSecurity.StartTls)]
    [InlineData(DirectoryKind.OpenLdap, LdapSecurity.StartTls)]
    [InlineData(DirectoryKind.OpenLdap, LdapSecurity.Ssl)]
    public async Task Only_the_connection_closed_by_the_server_is_replaced(DirectoryKind kind, LdapSecurity security)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sockets can be looked at on Linux only");
        using var authority = new PrivateAuthority();
        await using var directory = await TestDirectory.StartAsync(kind, tls: authority.Files);
        await using var pool = Pool(directory, security, authority.Trusted);
        var token = TestContext.Current.CancellationToken;
        await pool.WhoAmIAsync(token);
        await Patience.PauseAsync(50); // what was used just now is not looked at

        await pool.WhoAmIAsync(token);
        Assert.Equal(1, pool.GetStatistics().Created);

        await Patience.PauseAsync(50);
        await directory.RestartAsync();
        await pool.SendAsync<SearchResponse>(DirectoryRequests.AnnAlone, token);
        Assert.Equal((2, 1), (pool.GetStatistics().Created, pool.GetStatistics().DestroyedFor(DestroyReason.Broken)));
    }

    [Theory]
    [InlineData(LdapSecurity.StartTls)]
    [InlineData(LdapSecurity.Ssl)]
    public async Task A_client_that_does_not_trust_the_authority_fails_without_sending_its_password(LdapSecurity security)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "libldap takes a folder of authorities, Windows does not");
        using var authority = new PrivateAuthority();
        await using var directory = await TestDirectory.StartAsync(DirectoryKind.OpenLdap, tls: authority.Files);
        await using var pool = Pool(directory, security, authority.Empty);

        var refusal = await Assert.ThrowsAnyAsync<Exception>(
            async () => await pool.WhoAmIAsync(TestContext.Current.CancellationToken));
        Assert.IsType<DirectoryException>(refusal.InnerException ?? refusal, exactMatch: false);

        Assert.DoesNotContain(Entries.Service, await directory.IdentitiesAsync());
    }

    [Fact]
    public async Task An_unsupported_StartTLS_does_not_fall_back_to_plain_text()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(
            options => (options.Security, options.Pool.OutageTimeout) = (LdapSecurity.StartTls, TimeSpan.Zero));

        var refusal = await Assert.ThrowsAnyAsync<Exception>(
            async () => await pool.WhoAmIAsync(TestContext.Current.CancellationToken));
        Assert.IsType<DirectoryException>(refusal.InnerException ?? refusal, exactMatch: false);

        Assert.DoesNotContain(directory.Server.GetOperations(), each => each.Kind == LdapTestOperationKind.Bind);
    }

    private static LdapConnectionPool Pool(TestDirectory directory, LdapSecurity security, string trusted) =>
        directory.Pool(options =>
    {
        options.Servers[0] = $"127.0.0.1:{(security == LdapSecurity.Ssl ? directory.TlsPort : directory.Port)}";
        (options.Security, options.TrustedCertificatesDirectory) = (security, trusted);
        options.Pool.OutageTimeout = options.VerifyPool.OutageTimeout = TimeSpan.Zero;
    });
}
