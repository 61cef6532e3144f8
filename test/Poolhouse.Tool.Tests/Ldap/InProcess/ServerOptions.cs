using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

public sealed class ServerOptions
{
    [Fact]
    public async Task Anonymous_searches_can_be_denied_except_for_the_root_entry()
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
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_bind_without_a_password_ends_as_configured_and_is_anonymous(bool allowed)
    {
        await using var server = Country.Start(new LdapTestServerOptions { AllowUnauthenticatedBind = allowed });
        using var client = await RawClient.ConnectAndBindAsync(server);

        var reply = await client.AskAsync(RawRequest.Bind(2, Country.Ann, ""));

        Assert.Equal(
            (allowed ? LdapTestResultCode.Success : LdapTestResultCode.UnwillingToPerform, ""),
            (reply.Code, Assert.Single(server.GetConnections()).BoundDn));
    }

    [Fact]
    public async Task The_operation_log_is_bounded()
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
}
