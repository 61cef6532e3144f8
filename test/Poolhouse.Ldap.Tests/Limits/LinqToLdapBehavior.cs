using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Ldap.Tests.Limits;

/// <summary>What the pool of LINQ to LDAP did or meant to do.</summary>
public sealed class LinqToLdapBehavior
{
    [Fact]
    public async Task At_the_limit_it_waits_in_order()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.Pool.MaxSize = 1);
        var token = TestContext.Current.CancellationToken;
        var lease = await pool.RentAsync(token);
        var order = new List<int>();

        var waiting = Enumerable.Range(1, 3).Select(async number =>
        {
            using var own = await pool.RentAsync(token);
            lock (order)
            {
                order.Add(number);
            }
        }).ToList();
        await lease.DisposeAsync();
        await Patience.WithinAsync(Task.WhenAll(waiting));

        Assert.Equal([1, 2, 3], order);
        Assert.Equal(1, pool.GetStatistics().Created);
    }

    [Fact]
    public async Task At_the_limit_it_waits_for_RentTimeout()
    {
        var clock = new ManualTimeProvider();
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options =>
            (options.Pool.MaxSize, options.Pool.RentTimeout, options.Pool.TimeProvider) = (1, TimeSpan.FromSeconds(9), clock));
        using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);

        var waiting = pool.RentAsync(TestContext.Current.CancellationToken).AsTask();
        clock.Advance(TimeSpan.FromSeconds(9));

        Assert.Equal(
            RentPhase.Return, (await Assert.ThrowsAsync<PoolTimeoutException>(() => Patience.WithinAsync(waiting))).Phase);
    }

    [Fact]
    public async Task At_the_limit_it_throws_at_once_if_configured_not_to_wait()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(
            options => (options.Pool.MaxSize, options.Pool.MinIdle, options.Pool.RentTimeout) = (1, 1, TimeSpan.Zero));
        await pool.WarmUpAsync(1, TestContext.Current.CancellationToken);
        using var lease = pool.Rent(TestContext.Current.CancellationToken);

        Assert.Throws<PoolTimeoutException>(() => pool.Rent(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Scavenging_trims_to_the_minimum_and_never_below()
    {
        var clock = new ManualTimeProvider();
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options =>
            (options.Pool.MaxSize, options.Pool.MinIdle, options.Pool.IdleTimeout, options.Pool.TimeProvider) =
                (4, 2, TimeSpan.FromMinutes(1), clock));
        await pool.WarmUpAsync(4, TestContext.Current.CancellationToken);

        clock.Advance(TimeSpan.FromMinutes(2));
        await Patience.UntilAsync(() => pool.GetStatistics().Live == 2, "two go");
        clock.Advance(TimeSpan.FromMinutes(5));

        Assert.Equal((2, 2), (pool.GetStatistics().Idle, pool.GetStatistics().DestroyedFor(DestroyReason.Idle)));
    }

    [Fact]
    public async Task The_minimum_is_replenished()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool(options => options.Pool.MinIdle = 2);
        await Patience.UntilAsync(() => pool.GetStatistics().Idle == 2, "the minimum is there without a rent");

        var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
        lease.Discard();

        await Patience.UntilAsync(() => pool.GetStatistics() is { Idle: 2, Created: 3 }, "the minimum is there again");
        await Patience.UntilAsync(
            directory.IdentitiesAsync, static list => list.Count == 2, "the server notices that the old connection is closed");
        Assert.Equal([Entries.Service, Entries.Service], await directory.IdentitiesAsync());
    }

    [Fact]
    public async Task A_blocking_rent_opens_a_connection()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool();

        var identity = await DirectoryRequests.OnThreadAsync(() =>
        {
            using var lease = pool.Rent(TestContext.Current.CancellationToken);
            return lease.Value.WhoAmI();
        });

        Assert.Equal(Entries.Identity, identity);
    }

    [Fact]
    public async Task A_drained_pool_has_no_connections_and_rents_none()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool = directory.Pool();
        await pool.WhoAmIAsync(TestContext.Current.CancellationToken);

        await pool.DrainAsync(TestContext.Current.CancellationToken);

        await Patience.UntilAsync(() => directory.Server.Connections == 0, "every connection is closed");
        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await pool.RentAsync(TestContext.Current.CancellationToken));
    }
}
