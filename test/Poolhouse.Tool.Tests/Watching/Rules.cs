using Poolhouse.TestSupport;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Tests.Watching;

/// <summary>What is wrong with a pool, by its snapshots.</summary>
public sealed class Rules
{
    [Fact]
    public void A_pool_that_serves_its_callers_has_no_advice()
    {
        var now = new PoolStory().Works(60).Now;

        Assert.Equal((Rule.None, "ok", "", null), (now.Rule, now.Verdict, now.Next, now.Url));
        Assert.Equal("2/8 held", now.Figures);
        Assert.Equal("uses take 10 ms; 100 rents/s", now.Change);
    }

    [Fact]
    public void The_worst_moment_of_a_pool_is_the_one_with_the_longest_wait()
    {
        var story = new PoolStory().Works(20).Then(1, pool => PoolStory.Full(pool, PoolStory.Seconds(1)));
        var early = story.Now;
        var late = story.Then(1, pool => pool with { OldestWait = PoolStory.Seconds(9) }).Now;
        Assert.True(late.IsWorseThan(early));
        Assert.False(early.IsWorseThan(late));
        Assert.False(late.IsWorseThan(late));
    }

    [Fact]
    public void Leases_older_than_the_threshold_are_a_leak()
    {
        var now = new PoolStory().Works(20).Then(3, pool => PoolStory.Full(pool, PoolStory.Seconds(94)) with
        {
            Condition = PoolCondition.Saturated,
            LeakThreshold = PoolStory.Seconds(60),
        }).Now;

        Assert.Equal((Rule.Leak, "LEAK 94 s"), (now.Rule, now.Verdict));
        Assert.Equal("5 wait, oldest 38 ms; 8/8 held, 6 by GET /orders, oldest 94 s", now.Figures);
        Assert.Contains("GET /orders keeps its lease", now.Next, StringComparison.Ordinal);
        Assert.EndsWith("troubleshooting.md#leak", now.Url, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_threshold_a_lease_much_older_than_a_use_is_a_leak()
    {
        Assert.Equal(
            Rule.Leak, new PoolStory().Works(20).Then(1, pool => pool with { OldestLease = PoolStory.Seconds(61) }).Now.Rule);

        // Uses of this pool are long.
        Assert.Equal(
            Rule.None,
            new PoolStory().Then(20, pool => PoolStory.Used(pool, 1, PoolStory.Seconds(30)))
                .Then(1, pool => pool with { Leased = 1, OldestLease = PoolStory.Seconds(61) }).Now.Rule);
    }

    [Fact]
    public void A_full_pool_whose_uses_take_longer_than_before_is_saturated_by_slow_uses()
    {
        var ended = new PoolStory().Works(20)
            .Then(12, pool => PoolStory.Used(PoolStory.Full(pool, PoolStory.Seconds(0.2)), 20, PoolStory.Seconds(0.4))).Now;
        Assert.Equal((Rule.SlowUses, "SATURATED 11 s"), (ended.Rule, ended.Verdict));
        Assert.Contains("uses got slower: 400 ms, before ", ended.Change, StringComparison.Ordinal);

        // At the first picture already, when none of the slow uses has ended.
        var first = new PoolStory().Works(20).Then(1, pool => PoolStory.Full(pool, PoolStory.Seconds(2))).Now;
        Assert.Equal(Rule.SlowUses, first.Rule);
        Assert.Equal("uses got slower: in progress for 2 s, usually 10 ms; 90 rents/s", first.Change);
        Assert.Contains("Look at what GET /orders waits for", first.Next, StringComparison.Ordinal);
    }

    [Fact]
    public void A_full_pool_whose_uses_take_as_long_as_before_is_saturated_by_more_uses()
    {
        var now = new PoolStory().Works(20)
            .Then(5, pool => PoolStory.Used(PoolStory.Full(pool, PoolStory.Seconds(0.01)), 800, PoolStory.Seconds(0.01))).Now;

        Assert.Equal((Rule.MoreUses, "SATURATED 4 s"), (now.Rule, now.Verdict));
        Assert.StartsWith("uses take 10 ms; ", now.Change, StringComparison.Ordinal);
    }

    [Fact]
    public void In_an_outage_the_cause_and_the_next_attempt_are_named()
    {
        var now = new PoolStory().Works(20).Then(2, pool => PoolStory.Full(pool, PoolStory.Seconds(5)) with
        {
            Condition = PoolCondition.Outage,
            Failure = "Npgsql.NpgsqlException",
            Outage = PoolStory.Seconds(12),
            RetryAfter = PoolStory.Seconds(0.05),
        }).Now;

        Assert.Equal((Rule.Outage, "OUTAGE 12 s"), (now.Rule, now.Verdict));
        Assert.Contains("(Npgsql.NpgsqlException); the pool tries again in 50 ms", now.Next, StringComparison.Ordinal);
    }

    [Fact]
    public void A_server_without_room_is_not_confused_with_slow_uses()
    {
        var now = new PoolStory().Works(20).Then(2, pool => PoolStory.Full(pool, PoolStory.Seconds(5)) with
        {
            Condition = PoolCondition.NoRoom,
        }).Now;

        Assert.Equal(Rule.NoRoom, now.Rule);
        Assert.Contains("Raise the limit of the server", now.Next, StringComparison.Ordinal);
    }

    [Fact]
    public void A_pool_that_never_needed_half_of_its_items_is_too_large()
    {
        var story = new PoolStory().Then(599, pool => PoolStory.Used(pool, 10, PoolStory.Seconds(0.01)) with
        {
            Max = 100,
            Leased = 2,
            Peak = 6,
        });
        Assert.Equal(Rule.None, story.Now.Rule);

        var now = story.Then(5, pool => PoolStory.Used(pool, 10, PoolStory.Seconds(0.01))).Now;
        Assert.Equal(Rule.TooLarge, now.Rule);
        Assert.Contains("at most 6 of 100 items were alive at once (2 leased on average)", now.Next, StringComparison.Ordinal);
        Assert.EndsWith("MaxSize 9 would do.", now.Next, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(PoolCondition.Outage)]
    [InlineData(PoolCondition.NoRoom)]
    [InlineData(PoolCondition.Saturated)]
    [InlineData(PoolCondition.Working)]
    public void The_address_of_a_verdict_is_a_section_of_the_troubleshooting_page(PoolCondition condition)
    {
        var now = new PoolStory().Works(20).Then(2, pool => PoolStory.Full(pool, PoolStory.Seconds(70)) with
        {
            Condition = condition,
        }).Now;
        var sections = File.ReadAllLines(Checkout.PathOf("docs", "troubleshooting.md"))
            .Where(line => line.StartsWith("### ", StringComparison.Ordinal))
            .Select(line => line[4..].ToLowerInvariant().Replace(' ', '-'));

        Assert.Contains(now.Url!.Split('#')[1], sections);
    }

    [Fact]
    public void Pools_in_distress_come_first()
    {
        var working = new PoolStory().Works(3).Now;
        var full = new PoolStory().Works(3).Then(2, pool => PoolStory.Full(pool, PoolStory.Seconds(0.01))).Now;
        var down = new PoolStory().Works(3).Then(1, pool => pool with { Condition = PoolCondition.Outage }).Now;

        Assert.Equal([Rule.Outage, Rule.MoreUses, Rule.None], Diagnosis.Sort([working, full, down]).Select(each => each.Rule));
    }
}
