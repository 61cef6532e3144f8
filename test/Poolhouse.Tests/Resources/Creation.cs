
namespace Poolhouse.Tests.Resources;

public sealed class Creation
{
    private readonly Gate<Part> _creations = new();

    [Fact]
    public void Nothing_is_created_before_the_first_rent()
    {
        var bench = NewBench(4);
        bench.Run();
        bench.Advance(60);

        Assert.Equal((0, 0), (_creations.Calls, bench.Now.Live));
    }

    [Fact]
    public void The_failure_of_an_abandoned_creation_names_the_time_limit_with_which_it_began()
    {
        var recorder = new Recorder();
        var bench = NewBench(1);
        bench.Options.Observer = recorder;
        bench.Options.CreateTimeout = Workbench.Seconds(2);
        Request(bench, 1);
        bench.Options.CreateTimeout = Workbench.Seconds(60);
        bench.Pool.Reconfigure(bench.Options);

        bench.Advance(2.1);

        var failed = recorder.Of<ItemCreateFailedArgs>()[0];
        Assert.Contains("CreateTimeout (00:00:02)", failed.Failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_empty_pool_creates_for_all_waiters_up_to_its_limit()
    {
        var bench = NewBench(10);
        Request(bench, 6);
        Assert.Equal(4, _creations.Waiting);

        _creations.Release(bench.Policy.New());
        bench.Run();

        Assert.InRange(_creations.Waiting, 3, 4);
        Assert.Equal(_creations.Waiting, bench.Now.Creating);
    }

    [Fact]
    public void While_items_are_leased_creations_start_slowly_and_double()
    {
        var bench = NewBench(20);
        bench.Options.MaxConcurrentCreates = 8;
        Request(bench, 1);
        _creations.Release(bench.Policy.New());
        bench.Run();

        Request(bench, 19);
        var windows = new List<int>();
        for (var i = 0; i < 4; i++)
        {
            windows.Add(_creations.Waiting);
            _creations.Release(bench.Policy.New());
            bench.Run();
        }

        Assert.Equal([1, 2, 4, 8], windows);
    }

    [Fact]
    public async Task A_burst_served_by_returns_does_not_grow_the_pool()
    {
        var bench = NewBench(50);
        var first = Request(bench, 1)[0];
        _creations.Release(bench.Policy.New());
        bench.Run();
        var burst = Request(bench, 20);

        // One creation is under way, while the one item serves all of them.
        var lease = await first;
        foreach (var next in burst)
        {
            bench.Return(lease);
            lease = await next;
        }

        _creations.Release(bench.Policy.New());
        bench.Run();
        Assert.Equal((2, 2), (_creations.Calls, bench.Now.Live));
    }

    [Fact]
    public void No_more_items_than_allowed_are_ever_alive()
    {
        var bench = NewBench(3);
        Request(bench, 10);
        for (var i = 0; i < 3; i++)
        {
            _creations.Release(bench.Policy.New());
            bench.Run();
        }

        Assert.Equal((0, 3, 7), (_creations.Waiting, bench.Now.Live, bench.Now.Waiting));
    }

    [Theory]
    [InlineData("throws")]
    [InlineData("throws later")]
    [InlineData("is cancelled")]
    public async Task The_exception_of_a_failed_creation_is_attached_to_the_refusal(string how)
    {
        var bench = new Workbench();
        bench.Policy.Creates = _ => how switch
        {
            "throws" => throw new InvalidOperationException("down"),
            "throws later" => ValueTask.FromException<Part>(new InvalidOperationException("down")),
            _ => ValueTask.FromCanceled<Part>(new CancellationToken(canceled: true)),
        };
        var waiting = bench.RequestAsync();

        bench.Advance(30);

        var refused = await Assert.ThrowsAsync<PoolUnavailableException>(() => waiting);
        Assert.Equal(
            string.Equals(how, "is cancelled", StringComparison.Ordinal)
                ? typeof(TaskCanceledException)
                : typeof(InvalidOperationException), refused.InnerException!.GetType());
        Assert.Equal(0, bench.Now.Live);
    }

    [Fact]
    public async Task A_creation_that_hangs_counts_as_an_outage()
    {
        var bench = NewBench(1);
        bench.Options.RetryDelay = bench.Options.MaxRetryDelay = Workbench.Seconds(20);
        var waiting = bench.RequestAsync();

        bench.Advance(16.9);
        Assert.False(waiting.IsCompleted);
        bench.Advance(0.2);

        var refused = await Assert.ThrowsAsync<PoolUnavailableException>(() => waiting);
        Assert.Contains(
            "CreateTimeout (00:00:15)", Assert.IsType<TimeoutException>(refused.InnerException).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task During_an_outage_one_creation_at_a_time_is_attempted_and_the_pool_ramps_up_afterwards()
    {
        var bench = NewBench(10);
        bench.Options.OutageTimeout = Workbench.Seconds(10);
        var waiting = Request(bench, 10);
        for (var i = 0; i < 4; i++)
        {
            _creations.Fail(new InvalidOperationException("down"));
        }

        bench.Run();
        Assert.Equal((0, 4L, true), (_creations.Waiting, bench.Now.CreateFailures, bench.Now.InOutage));
        bench.Advance(2);
        Assert.Equal(1, _creations.Waiting);

        var windows = new List<int>();
        for (var i = 0; i < 3; i++)
        {
            _creations.Release(bench.Policy.New());
            bench.Run();
            windows.Add(_creations.Waiting);
        }

        Assert.Equal([2, 4, 4], windows);
        Assert.False(bench.Now.InOutage);
        _ = await waiting[0];
    }

    [Fact]
    public async Task A_creation_that_began_before_the_last_success_begins_no_outage()
    {
        var bench = NewBench(2);
        var waiting = Request(bench, 2);
        bench.Advance(1);
        _creations.Release(bench.Policy.New());
        bench.Run();
        bench.Return(await waiting[0]);
        bench.Return(await waiting[1]);

        _creations.Fail(new TimeoutException("The older creation."));
        bench.Run();

        Assert.Equal((false, 1L, 1), (bench.Now.InOutage, bench.Now.CreateFailures, bench.Now.Idle));
    }

    [Fact]
    public void A_creation_that_began_before_the_last_success_is_followed_by_the_next_one_at_once()
    {
        var bench = NewBench(2);
        Request(bench, 3);
        bench.Advance(1);
        _creations.Release(bench.Policy.New());
        bench.Run();

        _creations.Fail(new TimeoutException("The older creation."));
        bench.Run();

        Assert.Equal((3, 1, 2), (_creations.Calls, _creations.Waiting, bench.Now.Waiting));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_creation_that_began_before_the_last_success_fails_no_caller(bool isPermanent)
    {
        var bench = NewBench(2);
        bench.Options.OutageTimeout = isPermanent ? Timeout.InfiniteTimeSpan : TimeSpan.Zero;
        bench.Policy.IsPermanentHook = _ => isPermanent;
        bench.Policy.Destroys = static (_, _) => new ValueTask(new TaskCompletionSource().Task);
        var waiting = Request(bench, 3);
        bench.Advance(1);
        _creations.Release(bench.Policy.New());
        bench.Run();
        (await waiting[0]).Discard();
        bench.Run();

        // No item is left that could be returned, but one may be created.
        _creations.Fail(new TimeoutException("The older creation."));
        bench.Run();

        Assert.False(waiting[1].IsCompleted || waiting[2].IsCompleted);
        Assert.Equal((1, 2, false), (_creations.Waiting, bench.Now.Waiting, bench.Now.InOutage));
    }

    [Fact]
    public async Task With_an_outage_timeout_of_zero_all_callers_get_the_cause_and_the_retry_time_at_once()
    {
        var bench = NewBench(4);
        bench.Options.OutageTimeout = TimeSpan.Zero;
        bench.Options.MaxConcurrentCreates = 1;
        bench.Options.RetryDelay = Workbench.Seconds(8);
        var waiting = Request(bench, 3);
        var failure = new InvalidOperationException("down");
        _creations.Fail(failure);
        bench.Run();

        Assert.Same(failure, (await Assert.ThrowsAsync<PoolUnavailableException>(() => waiting[0])).InnerException);
        var second = await Assert.ThrowsAsync<PoolUnavailableException>(() => waiting[1]);
        Assert.Equal((Workbench.Seconds(8), failure, "parts"), (second.RetryAfter, second.InnerException, second.PoolName));
        bench.Advance(3);
        var late = await Assert.ThrowsAsync<PoolUnavailableException>(() => bench.RequestAsync());
        Assert.Equal(Workbench.Seconds(5), late.RetryAfter);
        Assert.Equal(1, _creations.Calls);

        // The first caller after the pause makes the next attempt.
        bench.Advance(5);
        var probe = bench.RequestAsync();
        _creations.Release(bench.Policy.New());
        bench.Run();
        Assert.True(probe.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_permanent_failure_is_thrown_at_once_although_other_failures_are_retried()
    {
        var bench = NewBench(4);
        bench.Options.MaxConcurrentCreates = 1;
        bench.Options.RetryDelay = Workbench.Seconds(8);
        bench.Options.OutageTimeout = Workbench.Seconds(5);
        bench.Policy.IsPermanentHook = failure => failure is UnauthorizedAccessException;
        var waiting = Request(bench, 2);
        var refusal = new UnauthorizedAccessException("no");
        _creations.Fail(refusal);
        bench.Run();

        foreach (var caller in waiting.Append(bench.RequestAsync()))
        {
            Assert.Same(refusal, await Assert.ThrowsAsync<UnauthorizedAccessException>(() => caller));
        }

        // Another failure, and callers wait again.
        bench.Advance(8);
        var patient = bench.RequestAsync();
        _creations.Fail(new InvalidOperationException("down"));
        bench.Run();
        Assert.False(patient.IsCompleted);
        bench.Advance(4);
        _creations.Release(bench.Policy.New());
        bench.Run();
        Assert.True(patient.IsCompletedSuccessfully);
    }

    [Fact]
    public void Callers_wait_if_IsPermanent_throws()
    {
        var bench = NewBench(1);
        bench.Policy.IsPermanentHook = _ => throw new InvalidOperationException("unknown");
        var waiting = bench.RequestAsync();
        _creations.Fail(new InvalidOperationException("down"));
        bench.Run();

        Assert.False(waiting.IsCompleted);
    }

    [Fact]
    public async Task A_pool_that_fails_fast_still_rents_idle_and_returned_items()
    {
        var bench = NewBench(3);
        bench.Options.OutageTimeout = TimeSpan.Zero;
        bench.Options.RetryDelay = bench.Options.MaxRetryDelay = Workbench.Seconds(20);
        var first = bench.RequestAsync();
        _creations.Release(bench.Policy.New());
        bench.Run();
        var unlucky = bench.RequestAsync();
        var patient = bench.RequestAsync();
        _creations.Fail(new InvalidOperationException("down"));
        bench.Run();

        await Refused.WithAsync<InvalidOperationException>(() => unlucky);
        await Refused.WithAsync<InvalidOperationException>(() => patient);
        Request(bench, 1);
        Assert.Equal((1, 0), (bench.Now.Leased, bench.Now.Waiting));
        bench.Return(await first);
        Assert.True(bench.RequestAsync().IsCompletedSuccessfully);
    }

    [Fact]
    public void A_successful_creation_ends_the_outage()
    {
        var bench = NewBench(1);
        var waiting = bench.RequestAsync();
        _creations.Fail(new InvalidOperationException("down"));
        bench.Advance(1);
        _creations.Release(bench.Policy.New());
        bench.Run();
        Assert.True(waiting.IsCompletedSuccessfully);

        var timeout = Assert.Throws<PoolTimeoutException>(() => bench.Pool.Rent(TimeSpan.Zero));

        Assert.Null(timeout.InnerException);
        Assert.Equal((false, 1L), (bench.Now.InOutage, bench.Now.CreateFailures));
    }

    [Fact]
    public void While_callers_wait_the_pause_between_attempts_does_not_grow()
    {
        var bench = NewBench(1);
        var waiting = bench.RequestAsync();
        for (var failures = 1; failures <= 10; failures++)
        {
            _creations.Fail(new InvalidOperationException("down"));
            bench.Run();
            bench.Advance(0.049);
            Assert.Equal(failures, _creations.Calls);
            bench.Advance(0.001);
            Assert.Equal(failures + 1, _creations.Calls);
        }

        _creations.Release(bench.Policy.New());
        bench.Run();

        Assert.True(waiting.IsCompletedSuccessfully);
    }

    [Fact]
    public void A_caller_that_arrives_in_a_long_pause_shortens_it_once()
    {
        var bench = NewBench(5);
        bench.Options.MinIdle = 1;
        bench.Run();

        // Without waiters: 100 ms, 200 ms, 400 ms and so on.
        var pause = 0.1;
        for (var failures = 0; failures < 5; failures++, pause *= 2)
        {
            _creations.Fail(new InvalidOperationException("down"));
            bench.Run();
            bench.Advance(pause - 0.01);
            Assert.Equal(failures + 1, _creations.Calls);
            bench.Advance(0.01);
        }

        _creations.Fail(new InvalidOperationException("down"));
        bench.Run();
        Request(bench, 2);
        bench.Advance(0.049);
        Assert.Equal(6, _creations.Calls);
        Request(bench, 2);
        bench.Advance(0.001);

        Assert.Equal((7, 1), (_creations.Calls, _creations.Waiting));
    }

    [Fact]
    public void A_pool_that_fails_fast_and_failures_that_are_permanent_keep_the_long_pause()
    {
        var bench = NewBench(1);
        bench.Options.OutageTimeout = TimeSpan.Zero;
        for (var failures = 0; failures < 4; failures++)
        {
            _ = bench.RequestAsync();
            _creations.Fail(new InvalidOperationException("down"));
            bench.Run();
            bench.Advance(0.1 * Math.Pow(2, failures));
        }

        _ = bench.RequestAsync();
        _creations.Fail(new InvalidOperationException("down"));
        bench.Run();
        var refused = Assert.Throws<PoolUnavailableException>(() => bench.Pool.Rent());

        Assert.Equal(Workbench.Seconds(1.6), refused.RetryAfter);
    }

    [Fact]
    public async Task A_pool_that_fails_fast_does_so_when_its_stale_item_is_dead()
    {
        var bench = NewFailingBench(out var checks);
        var waiting = bench.RequestAsync();
        Assert.Equal(1, checks.Waiting);
        Assert.False(waiting.IsCompleted);

        checks.Release(false);
        bench.Run();

        Assert.IsType<PoolUnavailableException>((await Assert.ThrowsAnyAsync<Exception>(() => waiting)));
        Assert.Equal(0, bench.Now.Waiting);
    }

    [Fact]
    public async Task A_pool_that_fails_fast_does_so_when_its_stale_item_is_dead_while_another_item_is_leased()
    {
        var bench = NewFailingBench(out var checks, leased: 1);
        var waiting = bench.RequestAsync();
        Assert.Equal((1, 1L), (checks.Waiting, bench.Now.Leased));

        checks.Release(false);
        bench.Run();

        // A caller that arrives now is refused, although the leased item may be returned; so is the one that relied on the dead
        // item.
        Assert.True(waiting.IsFaulted, "The caller waits for the leased item.");
        await Assert.ThrowsAsync<PoolUnavailableException>(() => waiting);
        Assert.Throws<PoolUnavailableException>(() => bench.Pool.Rent());
        Assert.Equal((0, 1L), (bench.Now.Waiting, bench.Now.Leased));
    }

    [Fact]
    public void A_pool_that_fails_fast_rejects_a_caller_that_no_pending_creation_can_serve()
    {
        var bench = NewFailingBench(out var checks);
        var first = bench.RequestAsync();
        Assert.Equal(1, checks.Waiting);

        // The only item that may become available is meant for the first caller.
        Assert.Throws<PoolUnavailableException>(() => bench.Pool.Rent());

        checks.Release(true);
        bench.Run();
        Assert.True(first.IsCompletedSuccessfully);
    }

    private static List<Task<Lease<Part>>> Request(Workbench bench, int count) =>
        [.. Enumerable.Range(0, count).Select(_ => bench.RequestAsync())];

    private Workbench NewBench(int maxSize)
    {
        var bench = new Workbench(maxSize);
        bench.Policy.Creates = _creations.WaitAsync;
        return bench;
    }

    /// <summary>
    /// Nothing can be created, the next attempt is far off, one item is idle and must be validated, and others are leased.
    /// </summary>
    private Workbench NewFailingBench(out Gate<bool> checks, int leased = 0)
    {
        var gate = checks = new Gate<bool>();
        var bench = NewBench(3);
        bench.Options.OutageTimeout = TimeSpan.Zero;
        bench.Options.RetryDelay = bench.Options.MaxRetryDelay = Workbench.Seconds(60);
        bench.Policy.Validates = (_, _, token) => gate.WaitAsync(token);
        for (var i = 0; i < leased; i++)
        {
            _ = bench.RequestAsync();
            _creations.Release(bench.Policy.New());
            bench.Run();
        }

        var one = bench.RequestAsync();
        _creations.Release(bench.Policy.New());
        bench.Run();
        _ = bench.RequestAsync();
        _creations.Fail(new InvalidOperationException("down"));
        bench.Run();
        bench.Return(one.Result);
        bench.Advance(2);
        return bench;
    }
}
