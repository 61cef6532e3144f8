using Poolhouse.Tool.Bench.Ldap.InProcess;
using Poolhouse.Tool.Servers;
using Poolhouse.Tool.Tests.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Servers;

public sealed class TemporarySlapds
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_stopped_or_killed_server_restarts_with_its_entries_on_its_port(bool killed)
    {
        await using var server = await SlapdServer.StartOwnAsync();
        var port = server.Port;

        await (killed ? server.KillAsync() : server.StopAsync());
        var away = await WhoAmIAsync(server.Port);
        await server.StartAgainAsync();

        Assert.NotEqual(0, away.ExitCode);
        Assert.Equal(port, server.Port);
        Assert.Equal($"dn:{Country.Ann}\n", (await WhoAmIAsync(server.Port)).Output);
    }

    [Fact]
    public async Task A_frozen_server_answers_when_it_resumes()
    {
        await using var server = await SlapdServer.StartOwnAsync();

        server.Freeze();
        var asking = WhoAmIAsync(server.Port);
        await Assert.ThrowsAsync<TimeoutException>(() => asking.WaitAsync(TimeSpan.FromSeconds(1)));
        server.Thaw();

        Assert.Equal($"dn:{Country.Ann}\n", (await asking).Output);
    }

    [Fact]
    public async Task The_administrator_sees_connections_and_their_identities()
    {
        await using var server = await SlapdServer.StartOwnAsync();

        var monitor = await LdapTool.SearchAsync(
            server.Port, "-D", server.AdminDn,
                "-w", server.AdminPassword, "-b", "cn=Connections,cn=Monitor", "(monitorConnectionAuthzDN=*)", "+");

        Assert.Contains($"monitorConnectionAuthzDN: {server.AdminDn}", monitor.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Anonymous_reads_can_be_denied()
    {
        await using var server = await SlapdServer.StartOwnAsync(
            new TemporarySlapdOptions { BaseDn = Country.Base, Ldif = Country.Ldif, AllowAnonymousSearch = false });

        var asNobody = await LdapTool.SearchAsync(server.Port, "-b", Country.Ann);
        var asAnn = await LdapTool.SearchAsync(server.Port, "-D", Country.Ann, "-w", Country.AnnPassword, "-b", Country.Ann);

        Assert.Equal(((int)LdapTestResultCode.InsufficientAccessRights, 0), (asNobody.ExitCode, asAnn.ExitCode));
    }

    private static Task<LdapTool.Outcome> WhoAmIAsync(int port) =>
        LdapTool.RunAsync(port, "ldapwhoami", "-D", Country.Ann, "-w", Country.AnnPassword);
}
