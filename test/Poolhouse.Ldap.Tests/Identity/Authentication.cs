using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Ldap.Tests.Identity;

public sealed class Authentication
{
    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task Authentication_distinguishes_right_and_wrong_passwords(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool();
        var token = TestContext.Current.CancellationToken;

        var answers = new[]
        {
            await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, token),
            await pool.AuthenticateAsync(Entries.Ann, "wrong", token),
            await pool.AuthenticateAsync("uid=nobody," + Entries.People, Entries.AnnPassword, token),
            await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword + "\0more", token),
            await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, token),
        };

        Assert.Equal([true, false, false, false, true], answers);
        Assert.Equal(1, pool.GetVerifyStatistics().Created);
    }

    [Fact]
    public async Task An_empty_password_is_rejected_before_anything_is_sent()
    {
        await using var server = LdapTestServer.Start(new LdapTestServerOptions { AllowUnauthenticatedBind = true });
        server.Directory.LoadLdif(Entries.Ldif);
        await using var pool = new LdapConnectionPool(new LdapPoolOptions { Servers = { $"127.0.0.1:{server.Port}" } });
        var token = TestContext.Current.CancellationToken;

        Assert.False(await pool.AuthenticateAsync(Entries.Ann, "", token));
        Assert.False(await pool.AuthenticateAsync(Entries.Ann, "\0anything", token));
        Assert.Equal((0, 0), (server.ConnectionsAccepted, server.OperationCount));
    }

    [Theory]
    [InlineData("")]
    [InlineData("  ")]
    [InlineData("\0uid=ann")]
    public async Task A_name_that_would_bind_anonymously_is_rejected(string name)
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool();

        await Assert.ThrowsAsync<ArgumentException>(
            async () => await pool.AuthenticateAsync(name, "anything", TestContext.Current.CancellationToken));

        Assert.Equal(0, directory.Server.OperationCount);
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task Password_checks_never_use_a_connection_for_operations(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool(options => options.Pool.MinIdle = 1);
        var token = TestContext.Current.CancellationToken;
        await pool.WarmUpAsync(1, token);

        await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, token);
        await UntilIdentitiesAsync(directory, Entries.Service, Entries.Ann);
        await pool.AuthenticateAsync(Entries.Ann, "wrong", token);

        await UntilIdentitiesAsync(directory, "", Entries.Service);
        Assert.Equal((0, 1), (pool.GetStatistics().Rented, pool.GetVerifyStatistics().Created));
    }

    // The server may still list a connection that has just been closed.
    private static Task UntilIdentitiesAsync(TestDirectory directory, params string[] expected) => Patience.UntilAsync(
        directory.IdentitiesAsync,
        identities => identities.OrderBy(name => name, StringComparer.Ordinal).SequenceEqual(expected, StringComparer.Ordinal),
        "the server has the connections " + string.Join(", ", expected));

    [Fact]
    public async Task A_connection_is_replaced_after_its_maximum_of_checks()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.MaxBindsPerConnection = 3);

        for (var check = 0; check < 7; check++)
        {
            Assert.True(await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, TestContext.Current.CancellationToken));
        }

        Assert.Equal(3, pool.GetVerifyStatistics().Created);
    }

    [Fact]
    public async Task Any_other_error_of_the_server_is_thrown()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool();
        directory.Server.Faults.RefuseBinds(LdapTestResultCode.UnwillingToPerform);

        await Assert.ThrowsAsync<DirectoryOperationException>(
            async () => await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, TestContext.Current.CancellationToken));
    }
}
