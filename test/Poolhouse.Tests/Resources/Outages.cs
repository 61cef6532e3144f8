namespace Poolhouse.Tests.Resources;

/// <summary>I33: while items cannot be created, callers are told so, with the cause, within OutageTimeout.</summary>
public sealed class Outages
{
    [Fact]
    public void The_statistics_tell_since_when_and_why_items_cannot_be_created()
    {
        var bench = NewBench(new InvalidOperationException("down"));
        Assert.Null(bench.Now.Outage);
        _ = bench.RequestAsync(Workbench.Seconds(1));
        bench.Run();
        var since = bench.Clock.GetUtcNow();
        bench.Advance(1.5);
        var latest = new InvalidOperationException("still down");
        bench.Policy.Creates = _ => throw latest;
        _ = bench.RequestAsync(Workbench.Seconds(10));
        bench.Run();

        var outage = bench.Now.Outage!;

        Assert.Equal((since, Workbench.Seconds(1.5), latest), (outage.Since, outage.Duration, outage.LastFailure));
        Assert.Equal(bench.Now.RetryAfter, outage.RetryAfter);
        bench.Policy.Creates = _ => new ValueTask<Part>(bench.Policy.New());
        bench.Advance(1);
        Assert.Null(bench.Now.Outage);
    }

    [Fact]
    public async Task A_caller_is_refused_with_the_cause_when_it_has_waited_for_OutageTimeout()
    {
        var failure = new InvalidOperationException("down");
        var bench = NewBench(failure);
        var first = bench.RequestAsync();
        bench.Advance(1);
        var second = bench.RequestAsync();
        bench.Advance(0.99);
        Assert.False(first.IsCompleted);
        bench.Advance(0.02);

        var refused = await Assert.ThrowsAsync<PoolUnavailableException>(() => first);
        Assert.Equal((failure, "parts"), (refused.InnerException, refused.PoolName));
        Assert.InRange(refused.Elapsed, Workbench.Seconds(2), Workbench.Seconds(2.05));
        Assert.InRange(refused.OutageDuration, Workbench.Seconds(2), Workbench.Seconds(2.05));
        bench.Advance(0.98);
        Assert.False(second.IsCompleted);
        bench.Advance(0.02);
        Assert.InRange(
            (await Assert.ThrowsAsync<PoolUnavailableException>(() => second)).OutageDuration,
            Workbench.Seconds(3), Workbench.Seconds(3.05));
        Assert.Equal(0, bench.Now.Waiting);
    }

    [Fact]
    public async Task A_caller_whose_timeout_elapses_first_gets_the_same_answer()
    {
        var failure = new InvalidOperationException("down");
        var bench = NewBench(failure);
        var hasty = bench.RequestAsync(Workbench.Seconds(1));
        bench.Advance(1);

        var refused = await Assert.ThrowsAsync<PoolUnavailableException>(() => hasty);
        var atOnce = await Assert.ThrowsAsync<PoolUnavailableException>(() => bench.RequestAsync(TimeSpan.Zero));

        Assert.Equal((failure, Workbench.Seconds(1)), (refused.InnerException, refused.Elapsed));
        Assert.Equal((failure, TimeSpan.Zero), (atOnce.InnerException, atOnce.Elapsed));
    }

    [Fact]
    public void A_caller_is_served_if_items_can_be_created_again_in_time()
    {
        var bench = NewBench(new InvalidOperationException("down"));
        var caller = bench.RequestAsync();
        bench.Advance(1.9);
        bench.Policy.Creates = _ => new ValueTask<Part>(bench.Policy.New());
        bench.Advance(0.09);

        Assert.True(caller.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task An_attempt_that_hangs_does_not_delay_the_refusal()
    {
        var bench = NewBench(new InvalidOperationException("down"));
        var caller = bench.RequestAsync();
        bench.Policy.Creates = new Gate<Part>().WaitAsync;
        bench.Advance(2.01);

        await Refused.WithAsync<InvalidOperationException>(() => caller);
        Assert.Equal(1, bench.Now.Creating);
    }

    [Fact]
    public async Task A_lease_that_may_be_returned_does_not_delay_the_refusal()
    {
        var bench = new Workbench(maxSize: 4);
        using var lease = bench.Rent();
        bench.Policy.Creates = _ => throw new InvalidOperationException("down");
        var caller = bench.RequestAsync();
        bench.Advance(2.01);

        await Refused.WithAsync<InvalidOperationException>(() => caller);
    }

    [Fact]
    public async Task With_an_infinite_OutageTimeout_callers_wait_until_their_own()
    {
        var bench = NewBench(new InvalidOperationException("down"));
        bench.Options.OutageTimeout = Timeout.InfiniteTimeSpan;
        var caller = bench.RequestAsync();
        bench.Advance(29.9);
        Assert.False(caller.IsCompleted);
        bench.Advance(0.2);

        Assert.InRange(
            (await Assert.ThrowsAsync<PoolUnavailableException>(() => caller)).OutageDuration,
            Workbench.Seconds(29.9), Workbench.Seconds(30.2));
    }

    [Fact]
    public async Task A_shorter_OutageTimeout_applies_to_callers_that_wait_already()
    {
        var bench = NewBench(new InvalidOperationException("down"));
        var caller = bench.RequestAsync();
        bench.Advance(0.6);
        bench.Options.OutageTimeout = Workbench.Seconds(0.5);
        bench.Pool.Reconfigure(bench.Options);
        bench.Run();

        await Refused.WithAsync<InvalidOperationException>(() => caller);
    }

    [Fact]
    public async Task A_permanent_failure_is_thrown_unchanged_although_items_are_leased()
    {
        var bench = new Workbench(maxSize: 4);
        using var lease = bench.Rent();
        var failure = new UnauthorizedAccessException("no");
        bench.Policy.IsPermanentHook = _ => true;
        bench.Policy.Creates = _ => throw failure;

        Assert.Same(failure, await Assert.ThrowsAsync<UnauthorizedAccessException>(() => bench.RequestAsync()));
        Assert.Same(failure, await Assert.ThrowsAsync<UnauthorizedAccessException>(() => bench.RequestAsync()));
    }

    [Fact]
    public async Task A_creation_that_returns_null_fails_at_once()
    {
        var bench = new Workbench(maxSize: 1);
        bench.Policy.Creates = _ => new ValueTask<Part>((Part)null!);

        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => bench.RequestAsync());

        Assert.Contains("CreateAsync must not return null", failure.Message, StringComparison.Ordinal);
        Assert.Equal(0, bench.Now.Live);
    }

    [Fact]
    public async Task A_blocked_caller_is_refused_although_no_timer_fires()
    {
        var bench = new Workbench { Disguise = static clock => new ClockWithoutTimers(clock) };
        bench.Policy.Creates = _ => throw new InvalidOperationException("down");
        _ = bench.Pool;
        var caller = Background.Start(() => bench.Pool.Rent());
        Background.Until(() => bench.Now.Waiting == 1);
        bench.Run();
        Assert.True(bench.Now.InOutage);
        bench.Clock.Advance(Workbench.Seconds(2.1));

        await Refused.WithAsync<InvalidOperationException>(() => caller.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task A_server_without_room_is_no_outage_and_returns_serve_the_callers()
    {
        var bench = new Workbench(maxSize: 4);
        var lease = bench.Rent();
        var full = new InvalidOperationException("too many connections");
        bench.Policy.LacksRoomHook = _ => true;
        bench.Policy.IsPermanentHook = _ => true;
        bench.Policy.Creates = _ => throw full;
        var first = bench.RequestAsync();
        var second = bench.RequestAsync();
        bench.Advance(10);
        Assert.Equal((false, null, 2), (bench.Now.InOutage, bench.Now.Outage, bench.Now.Waiting));

        bench.Return(lease);
        Assert.True(first.IsCompletedSuccessfully);
        bench.Advance(20.1);

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => second);
        Assert.Equal((RentPhase.Room, full), (timeout.Phase, timeout.InnerException));
        Assert.Contains("The server has no room for another item", timeout.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Observers_are_told_whether_only_room_is_missing(bool lacksRoom)
    {
        var bench = NewBench(new IOException("refused"));
        var recorder = new Recorder();
        bench.Options.Observer = recorder;
        bench.Policy.LacksRoomHook = _ => lacksRoom;
        _ = bench.RequestAsync();

        Assert.Equal(lacksRoom, Assert.Single(recorder.Of<ItemCreateFailedArgs>()).LacksRoom);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_warm_up_fails_at_once_with_the_unchanged_failure_also_in_an_outage(bool inOutage)
    {
        var failure = new IOException("down");
        var bench = NewBench(failure);
        if (inOutage)
        {
            _ = bench.RequestAsync();
            bench.Advance(1);
        }

        var warmUp = bench.Pool.WarmUpAsync(2, TestContext.Current.CancellationToken);
        bench.Advance(1);

        Assert.Same(failure, await Assert.ThrowsAsync<IOException>(() => warmUp));
    }

    [Fact]
    public void A_server_without_room_is_tried_again_after_250_ms_and_when_an_own_item_has_ended()
    {
        var bench = new Workbench(maxSize: 4);
        var lease = bench.Rent();
        var attempts = 0;
        bench.Policy.LacksRoomHook = _ => true;
        bench.Policy.Creates = _ =>
        {
            attempts++;
            throw new InvalidOperationException("too many connections");
        };
        _ = bench.RequestAsync();
        bench.Advance(0.24);
        Assert.Equal(1, attempts);
        bench.Advance(10);
        Assert.InRange(attempts, 3, 7);

        var before = attempts;
        lease.Discard();
        bench.Run();

        Assert.Equal(before + 1, attempts);
    }

    [Fact]
    public async Task An_outage_that_follows_a_lack_of_room_begins_with_its_own_failure()
    {
        var bench = NewBench(new InvalidOperationException("too many connections"));
        var hasRoom = false;
        bench.Policy.LacksRoomHook = _ => !hasRoom;
        var caller = bench.RequestAsync();
        bench.Advance(5);
        hasRoom = true;
        bench.Policy.Creates = _ => throw new IOException("down");
        bench.Advance(2);
        Assert.False(caller.IsCompleted);
        bench.Advance(12);

        await Refused.WithAsync<IOException>(() => caller);
    }

    [Fact]
    public async Task Each_caller_of_a_shared_pool_waits_for_OutageTimeout_itself()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 4);
        bench.Policy.Creates = _ => throw new IOException("down");
        var first = bench.RequestAsync();
        Background.Until(() => bench.Items.InOutage && bench.Pool.GetStatistics().Waiting == 1);
        bench.Clock.Advance(TimeSpan.FromSeconds(1));
        var second = bench.RequestAsync();
        Background.Until(() => bench.Pool.GetStatistics().Waiting == 2);
        bench.AdvanceUntil(() => first.IsCompleted, TimeSpan.FromMilliseconds(10), steps: 110);

        await Refused.WithAsync<IOException>(() => first.WaitAsync(Background.Limit));
        Assert.False(second.IsCompleted);
        bench.Policy.Creates = null;
        bench.AdvanceUntil(() => second.IsCompleted, TimeSpan.FromMilliseconds(10), steps: 50);
        Assert.True((await second.WaitAsync(Background.Limit)).IsActive);
    }

    [Fact]
    public async Task A_caller_of_a_nested_pool_whose_parents_cannot_be_created_is_refused()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        bench.Parents.Creates = _ => throw new IOException("down");
        var caller = bench.RequestAsync();
        Background.Until(() => bench.Now.InOutage);
        bench.Clock.Advance(TimeSpan.FromSeconds(1.9));
        Assert.False(caller.IsCompleted);
        bench.AdvanceUntil(() => caller.IsCompleted, TimeSpan.FromMilliseconds(10), steps: 20);

        await Refused.WithAsync<IOException>(() => caller.WaitAsync(Background.Limit));
    }

    private static Workbench NewBench(Exception failure)
    {
        var bench = new Workbench(maxSize: 4);
        bench.Policy.Creates = _ => throw failure;
        return bench;
    }
}
