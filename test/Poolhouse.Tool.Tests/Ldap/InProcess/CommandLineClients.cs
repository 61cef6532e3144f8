using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

public sealed class CommandLineClients : IAsyncDisposable
{
    private static readonly string[] _asService = ["-D", Country.Service, "-w", Country.ServicePassword];

    private readonly LdapTestServer _server = Country.Start();

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Fact]
    public async Task WhoAmI_returns_the_bound_identity()
    {
        Assert.Equal($"dn:{Country.Service}\n", (await LdapTool.RunAsync(_server.Port, ["ldapwhoami", .. _asService])).Output);
        Assert.Equal("anonymous\n", (await LdapTool.RunAsync(_server.Port, "ldapwhoami")).Output);
    }

    [Fact]
    public async Task A_wrong_password_is_rejected()
    {
        var outcome = await LdapTool.RunAsync(_server.Port, "ldapwhoami", "-D", Country.Ann, "-w", "wrong");

        Assert.Equal((int)LdapTestResultCode.InvalidCredentials, outcome.ExitCode);
    }

    [Fact]
    public async Task A_search_returns_the_entries_that_match_its_filter()
    {
        var found = await LdapTool.SearchAsync(
            _server.Port, "-b", Country.Base, "(&(objectClass=inetOrgPerson)(mail=A.*@example.org))", "cn", "mail");

        Assert.Equal((0, $"dn: {Country.Ann}\ncn: Ann Bell\nmail: ann@example.org\nmail: a.bell@example.org\n\n"),
            (found.ExitCode, found.Output));
    }

    [Fact]
    public async Task Current_and_total_connections_are_counted()
    {
        await LdapTool.RunAsync(_server.Port, ["ldapwhoami", .. _asService]);
        await Patience.UntilAsync(() => _server.Connections == 0);

        Assert.Equal((1, 1), (_server.PeakConnections, _server.ConnectionsAccepted));
        Assert.Equal(
            [LdapTestOperationKind.Bind, LdapTestOperationKind.Extended, LdapTestOperationKind.Unbind],
            _server.GetOperations().Select(operation => operation.Kind));
        Assert.Equal(["", Country.Service, Country.Service], _server.GetOperations().Select(operation => operation.BoundDn));
    }
}
