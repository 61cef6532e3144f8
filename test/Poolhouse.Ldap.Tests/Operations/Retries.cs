using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Tests.Servers;

namespace Poolhouse.Ldap.Tests.Operations;

// A connection that the server has closed is noticed when it is rented: so it closes them when a request is on its way.
public sealed class Retries
{
    [Theory]
    [InlineData(LdapRetries.None, false)]
    [InlineData(LdapRetries.Compare, false)]
    [InlineData(LdapRetries.Search, true)]
    public async Task A_search_on_a_dead_connection_is_retried_once_if_allowed(LdapRetries retries, bool isAnswered)
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool =
            directory.Pool(options => (options.Retries, options.Pool.ValidateAfterIdle) = (retries, Timeout.InfiniteTimeSpan));
        var token = TestContext.Current.CancellationToken;
        await UseAllAsync(pool, 3);

        directory.Server.Faults.DropAfterOperations(0);
        var first =
            await Record.ExceptionAsync(async () => await pool.SendAsync<SearchResponse>(DirectoryRequests.AnnAlone, token));

        Assert.Equal(isAnswered, first is null);
        Assert.Equal(ResultCode.Success, (await pool.SendAsync<SearchResponse>(DirectoryRequests.AnnAlone, token)).ResultCode);
    }

    [Fact]
    public async Task One_lost_connection_ages_out_all_connections_created_before()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.Pool.ValidateAfterIdle = Timeout.InfiniteTimeSpan);
        var token = TestContext.Current.CancellationToken;
        await UseAllAsync(pool, 4);

        directory.Server.Faults.DropAfterOperations(0);
        await Assert.ThrowsAsync<LdapException>(
            async () => await pool.SendAsync<SearchResponse>(DirectoryRequests.AnnAlone, token));

        for (var request = 0; request < 8; request++)
        {
            await pool.SendAsync<SearchResponse>(DirectoryRequests.AnnAlone, token);
        }

        await Patience.UntilAsync(
            () => pool.GetStatistics().DestroyedFor(DestroyReason.Broken) == 4,
            "those that could be used still have gone with it");
    }

    [Fact]
    public async Task Reads_of_the_pool_itself_are_retried_once()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.Pool.ValidateAfterIdle = Timeout.InfiniteTimeSpan);
        await UseAllAsync(pool, 3);

        directory.Server.Faults.DropAfterOperations(0);

        Assert.Equal(Entries.Identity, await pool.WhoAmIAsync(TestContext.Current.CancellationToken));
    }

    private static async Task UseAllAsync(LdapConnectionPool pool, int connections)
    {
        var leases = new List<Lease<PooledLdapConnection>>();
        for (var rent = 0; rent < connections; rent++)
        {
            leases.Add(await pool.RentAsync(TestContext.Current.CancellationToken));
        }

        foreach (var lease in leases)
        {
            await lease.DisposeAsync();
        }
    }
}
