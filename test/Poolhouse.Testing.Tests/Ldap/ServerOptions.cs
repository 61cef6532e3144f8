using System.Net.Sockets;

namespace Poolhouse.Testing.Tests.Ldap;

public sealed class ServerOptions
{
    [Fact]
    public async Task Who_is_not_bound_can_be_kept_from_searching_but_not_from_the_root_entry()
    {
        await using var server = Country.Start(new LdapTestServerOptions { AllowAnonymousSearch = false });
        using var client = await RawClient.ConnectAsync(server);

        var search = await client.AskAsync(RawRequest.Search(1));
        var root = await client.AskAsync(RawRequest.Search(2, "", scope: 0));
        Assert.Equal(2, (await client.ReceiveAsync())!.Id);
        await client.AskAsync(RawRequest.Bind(3, Country.Ann, Country.AnnPassword));
        var searchBound = await client.AskAsync(RawRequest.Search(4, scope: 0));

        Assert.Equal(LdapTestResultCode.InsufficientAccessRights, search.Code);
        Assert.Equal(("", Country.Base), (root.Text, searchBound.Text));
    }

    [Theory]
    [InlineData(false, LdapTestResultCode.UnwillingToPerform)]
    [InlineData(true, LdapTestResultCode.Success)]
    public async Task A_bind_without_a_password_ends_as_the_option_says_and_is_nobody(bool allowed, LdapTestResultCode expected)
    {
        await using var server = Country.Start(new LdapTestServerOptions { AllowUnauthenticatedBind = allowed });
        using var client = await RawClient.ConnectAndBindAsync(server);

        var reply = await client.AskAsync(RawRequest.Bind(2, Country.Ann, ""));

        Assert.Equal((expected, ""), (reply.Code, Assert.Single(server.GetConnections()).BoundDn));
    }

    [Fact]
    public async Task Who_is_not_bound_may_write_when_allowed()
    {
        await using var server = Country.Start(new LdapTestServerOptions { AllowAnonymousUpdate = true });
        using var client = await RawClient.ConnectAsync(server);

        Assert.Equal(
            LdapTestResultCode.Success, (await client.AskAsync(RawRequest.Modify(1, Country.Ann, 2, "title", "x"))).Code);
        Assert.Equal(["x"], server.Directory.Find(Country.Ann)!.GetValues("title"));
    }

    [Fact]
    public async Task Only_so_many_operations_are_remembered()
    {
        await using var server = Country.Start(new LdapTestServerOptions { MaxRememberedOperations = 2 });
        using var client = await RawClient.ConnectAndBindAsync(server);
        await client.AskAsync(RawRequest.WhoAmI(2));
        await client.AskAsync(RawRequest.WhoAmI(3));

        Assert.Equal(3, server.OperationCount);
        Assert.Equal(
            [LdapTestOperationKind.Extended, LdapTestOperationKind.Extended],
                server.GetOperations().Select(operation => operation.Kind));
        server.ClearOperations();
        Assert.Empty(server.GetOperations());
    }

    [Fact]
    public async Task A_port_can_be_chosen_and_is_taken_only_once()
    {
        await using var first = Country.Start();

        Assert.Throws<SocketException>(() => LdapTestServer.Start(new LdapTestServerOptions { Port = first.Port }));
        await first.DisposeAsync();
        await using var second = LdapTestServer.Start(new LdapTestServerOptions { Port = first.Port, BaseDn = "o=other" });

        Assert.Equal((first.Port, "o=other"), (second.Port, second.BaseDn));
        Assert.Equal(["other"], second.Directory.Find("O=Other")!.GetValues("o"));
    }

    [Fact]
    public void One_exception_names_every_invalid_setting()
    {
        var refused = Assert.Throws<ArgumentException>(() => LdapTestServer.Start(new LdapTestServerOptions
        {
            Port = -1,
            BaseDn = "nothing",
            MaxMessageSize = 1,
            MaxFilterDepth = 0,
            MaxRememberedOperations = -1,
            TimeProvider = null!,
            UseLdaps = true,
        }));

        foreach (var setting in (string[])
            ["Port is -1", "BaseDn is \"nothing\"", "MaxMessageSize is 1",
                "MaxFilterDepth is 0", "MaxRememberedOperations is -1", "TimeProvider is null", "UseLdaps is True"])
        {
            Assert.Contains(setting, refused.Message, StringComparison.Ordinal);
        }
    }
}
