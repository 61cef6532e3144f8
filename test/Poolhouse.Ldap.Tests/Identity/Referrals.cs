using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Testing;
using Poolhouse.Tool.Bench.Ldap.InProcess;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Ldap.Tests.Identity;

/// <summary>
/// A referral never makes the library connect to a server that the pool was not given: libldap would go there without TLS and
/// without checking any certificate, whatever protects the connection that got the referral.
/// </summary>
public sealed class Referrals : IAsyncLifetime
{
    private const string Elsewhere = "ou=elsewhere," + Entries.Base;
    private const string Secret = "n3w-Passw0rd";

    private readonly PrivateAuthority _authority = new();
    private LdapTestServer _second = null!;
    private FaultProxy _line = null!;
    private TemporarySlapd _first = null!;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        TestDirectory.SkipWithoutLibrary();
        Assert.SkipUnless(OperatingSystem.IsLinux(), "libldap takes a folder of authorities, Windows does not");
        Assert.SkipUnless(TemporarySlapd.TryFind(out var reason), reason);

        // It accepts changes from any identity, so that an operation sent here in error succeeds.
        _second = LdapTestServer.Start(new LdapTestServerOptions());
        _second.Directory.LoadLdif(Entries.Ldif + $"dn: {Elsewhere}\nobjectClass: organizationalUnit\nou: elsewhere\n");
        _line = FaultProxy.Start("127.0.0.1", _second.Port);
        _first = await TemporarySlapd.StartAsync(
            new TemporarySlapdOptions
            {
                Ldif = Entries.Ldif +
                    $"dn: {Elsewhere}\nobjectClass: referral\nobjectClass: extensibleObject\nou: elsewhere\nref: " +
                    $"ldap://127.0.0.1:{_line.Port}/{Elsewhere}\n",
                Tls = _authority.Files,
            },
            Token);
    }

    public async ValueTask DisposeAsync()
    {
        if (_first is not null)
        {
            await _first.DisposeAsync();
            await _line.DisposeAsync();
            await _second.DisposeAsync();
        }

        _authority.Dispose();
    }

    public static TheoryData<LdapSecurity, string> Requests =>
        new MatrixTheoryData<LdapSecurity, string>(Enum.GetValues<LdapSecurity>(), [.. _requests.Keys]);

    private static readonly Dictionary<string, Func<DirectoryRequest>> _requests = new(StringComparer.Ordinal)
    {
        ["search"] = () => new SearchRequest(Elsewhere, "(objectClass=*)", SearchScope.Base),
        ["compare"] = () => new CompareRequest(Elsewhere, "userPassword", Secret),
        ["add"] = () => new AddRequest(
            "cn=new," + Elsewhere, new DirectoryAttribute("objectClass", "person"), new DirectoryAttribute("sn", "New"),
            new DirectoryAttribute("userPassword", Secret)),
        ["modify"] = () => new ModifyRequest(Elsewhere, DirectoryAttributeOperation.Replace, "userPassword", Secret),
        ["rename"] = () => new ModifyDNRequest("cn=old," + Elsewhere, Elsewhere, "cn=new"),
        ["delete"] = () => new DeleteRequest("cn=old," + Elsewhere),
    };

    [Theory]
    [MemberData(nameof(Requests))]
    public async Task Not_one_byte_reaches_the_server_that_a_referral_names(LdapSecurity security, string kind)
    {
        await using var pool = new LdapConnectionPool(Options(security));

        // An operation that was not carried out is not a success.
        var refused = await Assert.ThrowsAsync<DirectoryOperationException>(
            async () => await pool.SendAsync<DirectoryResponse>(_requests[kind](), Token));
        using (var lease = await pool.RentAsync(Token))
        {
            var response = lease.Value.SendRequest(_requests[kind]());
            Assert.Equal(ResultCode.Referral, response.ResultCode);
        }

        Assert.Equal(ResultCode.Referral, refused.Response.ResultCode);
        Assert.Equal(_line.Port, Assert.Single(refused.Response.Referral).Port);
        Assert.Equal((0, 0L), (_line.Accepted, pool.GetStatistics().Destroyed));
    }

    [Theory]
    [InlineData(LdapSecurity.None)]
    [InlineData(LdapSecurity.Ssl)]
    [InlineData(LdapSecurity.StartTls)]
    public async Task Search_references_are_returned_to_the_caller_and_not_followed(LdapSecurity security)
    {
        await using var pool = new LdapConnectionPool(Options(security));
        var everything = new SearchRequest(Entries.Base, "(objectClass=*)", SearchScope.Subtree);

        var response = await pool.SendAsync<SearchResponse>(everything, Token);
        var paged = 0;
        await foreach (var entry in pool.SearchPagedAsync(everything, 10, Token))
        {
            paged++;
        }

        Assert.Equal(_line.Port, Assert.Single(Assert.Single(response.References.Cast<SearchResultReference>()).Reference).Port);
        Assert.Equal((response.Entries.Count, 0), (paged, _line.Accepted));
    }

    [Theory]
    [InlineData(LdapSecurity.Ssl)]
    [InlineData(LdapSecurity.StartTls)]
    public async Task An_encrypted_connection_configured_to_follow_referrals_is_rejected_at_creation(LdapSecurity security)
    {
        var options = Options(security);
        options.Configure = static connection => connection.SessionOptions.ReferralChasing = ReferralChasingOptions.All;
        await using var pool = new LdapConnectionPool(options);

        var failure = await Assert.ThrowsAsync<InvalidOperationException>(async () => await pool.WhoAmIAsync(Token));

        Assert.Contains("ReferralChasing", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(LdapSecurity.Ssl)]
    [InlineData(LdapSecurity.StartTls)]
    public async Task An_encrypted_connection_set_to_follow_referrals_during_a_lease_sends_nothing(LdapSecurity security)
    {
        await using var pool = new LdapConnectionPool(Options(security));
        using var lease = await pool.RentAsync(Token);
        ((LdapConnection)lease.Value).SessionOptions.ReferralChasing = ReferralChasingOptions.All;

        Assert.Throws<InvalidOperationException>(() => lease.Value.SendRequest(_requests["modify"]()));
        Assert.Throws<InvalidOperationException>(() => Begin(lease.Value));

        Assert.Equal(0, _line.Accepted);
    }

    [Fact]
    public async Task A_request_that_was_refused_does_not_hide_a_later_one_that_is_pending()
    {
        await using var pool = new LdapConnectionPool(Options(LdapSecurity.Ssl));
        using var lease = await pool.RentAsync(Token);
        var connection = (LdapConnection)lease.Value;
        connection.SessionOptions.ReferralChasing = ReferralChasingOptions.All;
        Assert.Throws<InvalidOperationException>(() => Begin(lease.Value));
        connection.SessionOptions.ReferralChasing = ReferralChasingOptions.None;

        Begin(lease.Value);

        Assert.True(lease.Value.IsBroken);
    }

    [Fact]
    public async Task A_plain_connection_follows_referrals_if_configured()
    {
        var options = Options(LdapSecurity.None);
        options.Configure = static connection => connection.SessionOptions.ReferralChasing = ReferralChasingOptions.All;
        await using var pool = new LdapConnectionPool(options);

        var response = await pool.SendAsync<SearchResponse>((SearchRequest)_requests["search"](), Token);

        Assert.Equal((1, 1), (response.Entries.Count, _line.Accepted));
    }

    private static IAsyncResult Begin(PooledLdapConnection connection) =>
        connection.BeginSendRequest(_requests["modify"](), PartialResultProcessing.NoPartialResultSupport, null!, null!);

    private LdapPoolOptions Options(LdapSecurity security)
    {
        var options = new LdapPoolOptions
        {
            Servers = { $"127.0.0.1:{(security == LdapSecurity.Ssl ? _first.TlsPort : _first.Port)}" },
            UserName = Entries.Service,
            Password = Entries.ServicePassword,
            Security = security,
            TrustedCertificatesDirectory = security == LdapSecurity.None ? null : _authority.Trusted,
        };
        options.Pool.OutageTimeout = TimeSpan.Zero;
        return options;
    }
}
