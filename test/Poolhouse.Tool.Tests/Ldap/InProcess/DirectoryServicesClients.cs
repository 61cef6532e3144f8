using System.DirectoryServices.Protocols;
using System.Net;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

[Collection(nameof(BlockingClients))]
public sealed class DirectoryServicesClients : IAsyncDisposable
{
    private const int ServerDown = 81;

    private readonly LdapTestServer _server = Country.Start();

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Fact]
    public void WhoAmI_returns_the_bound_identity()
    {
        using var connection = DirectoryServices.ConnectAsService(_server);

        Assert.Equal("dn:" + Country.Service, DirectoryServices.WhoAmI(connection));
        Assert.Equal(Country.Service, Assert.Single(_server.GetConnections()).BoundDn);
    }

    [Fact]
    public void A_bind_that_fails_leaves_the_connection_anonymous()
    {
        using var connection = DirectoryServices.ConnectAsService(_server);

        Assert.Throws<LdapException>(() => connection.Bind(new NetworkCredential(Country.Ann, "wrong")));

        Assert.Equal("", DirectoryServices.WhoAmI(connection));
        Assert.Equal("", Assert.Single(_server.GetConnections()).BoundDn);
    }

    [Fact]
    public void An_entry_is_added_changed_compared_renamed_found_and_deleted()
    {
        const string Dn = "uid=hal,ou=people,dc=example,dc=org";
        const string NewDn = "uid=hall,ou=people,dc=example,dc=org";
        using var connection = DirectoryServices.ConnectAsService(_server);

        connection.SendRequest(new AddRequest(
            Dn, new DirectoryAttribute("objectClass", "inetOrgPerson"),
                new DirectoryAttribute("cn", "Hal"), new DirectoryAttribute("sn", "Ives")));
        connection.SendRequest(new ModifyRequest(Dn, DirectoryAttributeOperation.Replace, "title", "Sailor"));
        var compared = connection.SendRequest(new CompareRequest(Dn, "title", "sailor"));
        connection.SendRequest(new ModifyDNRequest(Dn, "ou=people,dc=example,dc=org", "uid=hall"));
        var found = Assert.Single(DirectoryServices.Search(connection, "(title=sailor)").Entries.Cast<SearchResultEntry>());
        connection.SendRequest(new DeleteRequest(NewDn));

        Assert.Equal(ResultCode.CompareTrue, compared.ResultCode);
        Assert.Equal((NewDn, "Hal"), (found.DistinguishedName, found.Attributes["cn"][0]));
        Assert.Null(_server.Directory.Find(NewDn));
    }

    [Fact]
    public void A_paged_search_finds_everything_page_by_page()
    {
        using var connection = DirectoryServices.ConnectAsService(_server);
        var all = DirectoryServices.Search(connection, "(objectClass=*)").Entries.Count;
        var (pages, found) = (0, 0);

        byte[] cookie = [];
        do
        {
            var response = DirectoryServices.Search(
                connection, "(objectClass=*)", new PageResultRequestControl(2) { Cookie = cookie });
            cookie = Assert.IsType<PageResultResponseControl>(Assert.Single(response.Controls)).Cookie;
            pages++;
            found += response.Entries.Count;
        }
        while (cookie.Length > 0);

        Assert.Equal((all, (all + 1) / 2), (found, pages));
    }

    [Fact]
    public void A_cookie_of_another_connection_is_rejected()
    {
        using var first = DirectoryServices.ConnectAsService(_server);
        using var second = DirectoryServices.ConnectAsService(_server);
        var response = DirectoryServices.Search(first, "(objectClass=*)", new PageResultRequestControl(2));
        var control = Assert.IsType<PageResultResponseControl>(Assert.Single(response.Controls));

        var refused = Assert.Throws<DirectoryOperationException>(
            () => DirectoryServices.Search(
                second, "(objectClass=*)", new PageResultRequestControl(2) { Cookie = control.Cookie }));

        Assert.Equal(ResultCode.ProtocolError, refused.Response.ResultCode);
    }

    [Fact]
    public async Task After_a_restart_the_client_reconnects_by_itself_and_is_anonymous()
    {
        using var connection = DirectoryServices.ConnectAsService(_server);
        _server.Restart();

        var lost = Assert.Throws<LdapException>(() => DirectoryServices.WhoAmI(connection));
        var who = await WhoAmIInTheEndAsync(connection);

        Assert.Equal((ServerDown, ""), (lost.ErrorCode, who));
        await Patience.UntilAsync(() => _server.GetConnections() is [{ BoundDn: "" }]);
    }

    [Fact]
    public void Every_search_can_be_attributed_to_its_service_identity()
    {
        using var service = DirectoryServices.ConnectAsService(_server);
        DirectoryServices.Search(service, "(uid=ann)");
        Assert.Throws<LdapException>(() => service.Bind(new NetworkCredential(Country.Ann, "wrong")));
        DirectoryServices.Search(service, "(uid=bob)");

        var searches = _server.GetOperations().Where(operation => operation.Kind == LdapTestOperationKind.Search).ToList();

        Assert.Equal([Country.Service, ""], searches.Select(search => search.BoundDn));
    }

    [Fact]
    public async Task Many_connections_work_at_once()
    {
        // On threads of their own: callers that block the thread pool would keep the server from it.
        var searches = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => Task.Factory.StartNew(
            () =>
            {
                using var connection = DirectoryServices.ConnectAsService(_server);
                return Enumerable.Range(0, 50).Sum(_ => DirectoryServices.Search(connection, "(uid=ann)").Entries.Count);
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default)));

        Assert.All(searches, found => Assert.Equal(50, found));
        Assert.Equal(20, _server.ConnectionsAccepted);
    }

    // The library gives error 81 as often as it likes before it connects again, and may then report a lost answer as a success.
    private static async Task<string> WhoAmIInTheEndAsync(LdapConnection connection)
    {
        using var late = new CancellationTokenSource(DirectoryServices.Patience);
        while (true)
        {
            try
            {
                return DirectoryServices.WhoAmI(connection);
            }
            catch (DirectoryException e) when (e is LdapException { ErrorCode: ServerDown }
                or DirectoryOperationException { Response.ResultCode: ResultCode.Success })
            {
                late.Token.ThrowIfCancellationRequested();
                await Task.Yield();
            }
        }
    }
}
