using System.DirectoryServices.Protocols;
using System.Net;
using System.Text;
using Poolhouse.Ldap.Tests.Servers;

namespace Poolhouse.Ldap.Tests.Protocols;

/// <summary>
/// What System.DirectoryServices.Protocols does by itself, and the reason for workarounds in the pool. If one of these fails,
/// review the pool.
/// </summary>
public sealed class LibraryBehavior
{
    // libldap 2.5 closes the descriptor of a connection that has reconnected twice: by the second time it may belong to another
    // connection.
    private static readonly List<LdapConnection> _neverDisposed = [];

    private const string WhoAmI = "1.3.6.1.4.1.4203.1.11.3";

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task After_a_failed_bind_the_next_request_is_anonymous(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        using var connection = directory.Connect();

        var failure = Assert.Throws<LdapException>(() => connection.Bind(new NetworkCredential(Entries.Ann, "wrong")));

        Assert.Equal((49, ""), (failure.ErrorCode, Ask(connection)));
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task After_a_bind_with_credentials_a_bind_without_arguments_repeats_them(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        using var connection = directory.Connect();

        connection.Bind(new NetworkCredential(Entries.Ann, Entries.AnnPassword));
        connection.Bind();
        var before = Ask(connection);
        connection.Credential = new NetworkCredential(Entries.Service, Entries.ServicePassword);
        connection.Bind();

        Assert.Equal(("dn:" + Entries.Ann, Entries.Identity), (before, Ask(connection)));
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task After_losing_its_server_the_connection_reconnects_by_itself_and_is_anonymous(DirectoryKind kind)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "this is what libldap does");
        await using var directory = await TestDirectory.StartAsync(kind);
        var connection = directory.Connect();
        _neverDisposed.Add(connection);
        Assert.Equal(Entries.Identity, Ask(connection));

        await directory.RestartAsync();

        Assert.Equal(81, Assert.Throws<LdapException>(() => Ask(connection)).ErrorCode);
        await Patience.UntilAsync(
            async () =>
            {
                TryAsk(connection);
                return (await directory.IdentitiesAsync()).ToList();
            },
            identities => identities.Contains(""), "the connection reconnects by itself, without a bind");
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task A_bind_with_another_kind_of_authentication_fails_before_anything_is_sent(DirectoryKind kind)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows knows others");
        await using var directory = await TestDirectory.StartAsync(kind);
        using var connection = directory.Connect();
        connection.AutoBind = false;

        connection.AuthType = PooledLdapConnection.Parked;
        var failure = Assert.Throws<LdapException>(() => connection.Bind());

        Assert.Equal((86, Entries.Identity), (failure.ErrorCode, Ask(connection)));
    }

    [Fact]
    public async Task A_bind_has_no_timeout_while_the_server_is_frozen()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "this is what libldap does");
        await using var directory = await TestDirectory.StartAsync(DirectoryKind.OpenLdap);
        var isBlocked = false;
        for (var attempt = 0; attempt < 5 && !isBlocked; attempt++)
        {
            using var connection = directory.Connect();
            connection.Timeout = TimeSpan.FromSeconds(1);
            directory.Freeze();
            var binding = Task.Run(connection.Bind, TestContext.Current.CancellationToken);
            await Patience.PauseAsync(2_500);
            isBlocked = !binding.IsCompleted;
            directory.Thaw();
            await Patience.WithinAsync(Task.WhenAny(binding));

            // A signal to the thread, which the runtime may send, ends the wait as well: libldap then reports a lost server.
            Assert.True(
                isBlocked || binding.Exception?.InnerException is LdapException { ErrorCode: 81 },
                $"It was answered: {binding.Exception}");
        }

        Assert.True(isBlocked, "The server was unavailable each time.");
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task A_paging_cookie_is_not_valid_on_another_connection(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        using var one = directory.Connect();
        using var another = directory.Connect();
        var request = new SearchRequest(Entries.People, "(uid=*)", SearchScope.OneLevel, "uid");
        var page = new PageResultRequestControl(10);
        request.Controls.Add(page);

        var first = (SearchResponse)one.SendRequest(request);
        page.Cookie = first.Controls.OfType<PageResultResponseControl>().Single().Cookie;

        Assert.Throws<DirectoryOperationException>(() => another.SendRequest(request));
        Assert.Equal(10, ((SearchResponse)one.SendRequest(request)).Entries.Count);
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task A_name_and_a_password_end_at_a_null_character(DirectoryKind kind)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "this is what libldap does");
        await using var directory = await TestDirectory.StartAsync(kind);
        using var connection = directory.Connect();

        connection.Bind(new NetworkCredential(Entries.Ann + "\0,o=elsewhere", Entries.AnnPassword + "\0more"));

        Assert.Equal("dn:" + Entries.Ann, Ask(connection));
    }

    private static void TryAsk(LdapConnection connection)
    {
        try
        {
            _ = Ask(connection);
        }
        catch (DirectoryOperationException lost) when (lost.Response is { ResultCode: ResultCode.Success })
        {
            // The wait for the answer failed, and libldap has no error for it: the library throws a success. This may happen
            // with each request for seconds after libldap reconnected.
        }
        catch (LdapException)
        {
            // The server is not there yet.
        }
    }

    private static string Ask(LdapConnection connection)
    {
        var request = new SearchRequest(Entries.Base, "(objectClass=*)", SearchScope.Base, "1.1");
        Assert.Equal(ResultCode.Success, connection.SendRequest(request).ResultCode);
        return Encoding.UTF8.GetString(((ExtendedResponse)connection.SendRequest(new ExtendedRequest(WhoAmI))).ResponseValue
            ?? []);
    }
}
