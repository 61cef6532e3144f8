using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources;

/// <summary>The state of a pool in one word, as logs, health checks, pages, metrics and answers show it.</summary>
public sealed class Conditions
{
    private static readonly TimeSpan _long = TimeSpan.FromSeconds(2);

    private static readonly PoolOutage _outage =
        new(DateTimeOffset.UnixEpoch, TimeSpan.Zero, new TimeoutException(), TimeSpan.Zero);

    [Fact]
    public void Of_several_states_that_apply_the_last_of_the_list_counts()
    {
        (PoolCondition Expected, ResourcePoolStatistics Statistics)[] rows =
        [
            (PoolCondition.Working, new() { Leased = 1, Waiting = 1, OldestWait = TimeSpan.FromSeconds(1) }),
            (PoolCondition.Leaking, new() { Leased = 1, Leaking = true }),
            (PoolCondition.Saturated, new() { Leased = 1, Leaking = true, OldestWait = _long }),
            (PoolCondition.NoRoom, new() { Leased = 1, Leaking = true, OldestWait = _long, LacksRoom = true }),
            (PoolCondition.Outage, new() { Leased = 1, Leaking = true, OldestWait = _long, Outage = _outage }),
            (PoolCondition.Suspended, new() { Leased = 1, OldestWait = _long, Outage = _outage, Suspended = true }),
            (PoolCondition.Draining, new() { Leased = 1, Outage = _outage, Suspended = true, Closed = true }),
            (PoolCondition.Closed, new() { Outage = _outage, Suspended = true, Closed = true }),
        ];

        Assert.All(rows, row => Assert.Equal(row.Expected, row.Statistics.Condition));
    }

    [Fact]
    public void A_shared_pool_is_in_the_outage_of_its_items() => Assert.Equal(
        PoolCondition.Outage,
        new SharedResourcePoolStatistics { Items = new ResourcePoolStatistics { Outage = _outage } }.Condition);

    [Fact]
    public void A_cache_is_closed_at_once() =>
        Assert.Equal(PoolCondition.Closed, new CachePoolStatistics { Closed = true, Leased = 3 }.Condition);

    [Fact]
    public void A_lease_past_its_threshold_is_a_leak_until_it_ends()
    {
        var time = new ManualTimeProvider();
        using var pool = new ResourcePool<Part>(
            new ScriptedPolicy(),
            new ResourcePoolOptions { MaxSize = 3, LeakThreshold = TimeSpan.FromMinutes(1), TimeProvider = time });
        var lease = pool.Rent(TestContext.Current.CancellationToken);
        Assert.Equal(PoolCondition.Working, pool.GetStatistics().Condition);

        time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal((true, PoolCondition.Leaking), (pool.GetStatistics().Leaking, pool.GetStatistics().Condition));
        lease.Dispose();
        Assert.Equal((false, PoolCondition.Working), (pool.GetStatistics().Leaking, pool.GetStatistics().Condition));
    }

    [Fact]
    public void An_exception_has_the_state_for_which_its_caller_was_not_served()
    {
        var statistics = new ResourcePoolStatistics();
        Assert.Equal(
            [
                PoolCondition.Saturated, PoolCondition.NoRoom, PoolCondition.Suspended, PoolCondition.Saturated,
                PoolCondition.Outage,
            ],
            ((IPoolException[])
            [
                new PoolTimeoutException("", "", RentPhase.Return, _long, statistics),
                new PoolTimeoutException("", "", RentPhase.Room, _long, statistics),
                new PoolTimeoutException("", "", RentPhase.Suspended, _long, statistics),
                new PoolOverloadedException("", "", TimeSpan.Zero, statistics),
                new PoolOverloadedException("", "", TimeSpan.Zero, new ResourcePoolStatistics { Outage = _outage }),
            ]).Select(failure => failure.Condition));
    }
}
