using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Ldap.Tests.Operations;

public sealed class Sending
{
    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task Every_operation_goes_through_the_pool(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool();
        var token = TestContext.Current.CancellationToken;
        var name = "uid=new," + Entries.People;
        var add = new AddRequest(
            name, new DirectoryAttribute("objectClass", "inetOrgPerson"), new DirectoryAttribute("uid", "new"),
            new DirectoryAttribute("cn", "New"), new DirectoryAttribute("sn", "New"));

        await pool.SendAsync<AddResponse>(add, token);
        await pool.SendAsync<ModifyResponse>(new ModifyRequest(name, DirectoryAttributeOperation.Replace, "sn", "Newer"), token);
        var compared = await pool.SendAsync<CompareResponse>(new CompareRequest(name, "sn", "Newer"), token);
        await pool.SendAsync<ModifyDNResponse>(new ModifyDNRequest(name, Entries.People, "uid=renamed"), token);
        await pool.SendAsync<DeleteResponse>(new DeleteRequest("uid=renamed," + Entries.People), token);
        var found = await pool.SendAsync<SearchResponse>(DirectoryRequests.Everybody, token);

        Assert.Equal(
            (ResultCode.CompareTrue, Entries.PeopleCount, Entries.Identity),
            (compared.ResultCode, found.Entries.Count, await pool.WhoAmIAsync(token)));
        Assert.Equal(1, pool.GetStatistics().Created);
    }

    [Fact]
    public async Task An_error_result_of_the_server_keeps_the_connection()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool();
        var token = TestContext.Current.CancellationToken;

        await Assert.ThrowsAsync<DirectoryOperationException>(
            async () => await pool.SendAsync<DeleteResponse>(new DeleteRequest("uid=nobody," + Entries.Base), token));
        await Assert.ThrowsAsync<LdapException>(
            async () =>
                await pool.SendAsync<SearchResponse>(new SearchRequest(Entries.Base, "(not a filter", SearchScope.Base), token));

        Assert.Equal((Entries.Identity, 1), (await pool.WhoAmIAsync(token), pool.GetStatistics().Created));
    }

    [Fact]
    public async Task A_caller_that_cancels_returns_at_once_and_its_connection_is_destroyed()
    {
        var (clock, delay) = (new ManualTimeProvider(), TimeSpan.FromMinutes(1));
        await using var directory = InProcessDirectory.Start(time: clock);
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);
        await pool.WarmUpAsync(1, TestContext.Current.CancellationToken);
        directory.Server.Faults.ResponseDelay = delay;
        using var patience = new CancellationTokenSource();

        var asking = pool.SendAsync<SearchResponse>(DirectoryRequests.Everybody, patience.Token).AsTask();
        await Patience.UntilAsync(() => clock.ArmedTimers == 1, "the server delays its answer");
        await patience.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(asking));
        directory.Server.Faults.Clear();
        clock.Advance(delay); // A connection is closed when the call inside it has ended.
        Assert.Equal(
            Entries.Identity, await Patience.WithinAsync(pool.WhoAmIAsync(TestContext.Current.CancellationToken).AsTask()));
        Assert.Equal(1, pool.GetStatistics().DestroyedFor(DestroyReason.Broken));
    }

    [Fact]
    public async Task A_request_that_would_change_its_connection_is_rejected()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool();

        await Assert.ThrowsAsync<ArgumentException>(
            async () => await pool.SendAsync<ExtendedResponse>(
                new ExtendedRequest("1.3.6.1.4.1.1466.20037"), TestContext.Current.CancellationToken));
        await Assert.ThrowsAsync<ArgumentException>(
            async () => await pool.SendAsync<AddResponse>(DirectoryRequests.Everybody, TestContext.Current.CancellationToken));

        Assert.Equal(0, directory.Server.OperationCount);
    }
}
