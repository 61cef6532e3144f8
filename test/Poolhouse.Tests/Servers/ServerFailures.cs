using System.Net.Sockets;
using Poolhouse.Kernel;
using Poolhouse.Servers;

namespace Poolhouse.Tests.Servers;

/// <summary>What counts as a failure, of which server, and what the caller gets.</summary>
public sealed class ServerFailures
{
    [Fact]
    public void With_one_server_the_delegates_own_exception_reaches_the_caller()
    {
        var bench = new ServerBench(servers: "A") { Down = { "A" } };

        Assert.Equal("A", Assert.IsType<IOException>(bench.Failure()).Message);
    }

    [Fact]
    public void With_several_servers_the_caller_gets_every_failure_in_order()
    {
        var bench = new ServerBench { Down = { "A", "B", "C" } };

        var failure = Assert.IsType<NoServerAvailableException>(bench.Failure());
        Assert.Equal(["A", "B", "C"], failure.Failures.Select(each => each.Message));
        Assert.Same(failure.Failures[2], failure.InnerException);
    }

    [Fact]
    public async Task An_asynchronous_creation_fails_over_too()
    {
        var bench = new ServerBench { Down = { "A" } };

        await using var item = await bench.Set.CreateAsync(
            (server, token) => new ValueTask<Part>(bench.CreatePart(server, token)), Timeout.InfiniteTimeSpan);
        Assert.Equal(("B", 1L), (item.Server, bench.Of("A").Failures));
        Assert.IsType<IOException>(bench.Of("A").LastFailure);
    }

    [Fact]
    public void Null_is_a_failure()
    {
        var bench = new ServerBench(servers: "A");

        Assert.Throws<InvalidOperationException>(() => bench.Set.Create<Part>((_, _) => null!, Timeout.InfiniteTimeSpan));
        Assert.Equal((1L, 0, 0), (bench.Of("A").Failures, bench.Of("A").Items, bench.Of("A").Creating));
    }

    [Fact]
    public async Task A_callback_that_throws_at_a_time_limit_does_not_end_the_process()
    {
        var bench = new ServerBench();
        var creation = bench.Set.CreateAsync(
            (_, token) =>
            {
                token.Register(static () => throw new InvalidOperationException("a provider's callback"));
                return new ValueTask<Part>(NeverAsync(token));
            },
            TimeSpan.FromSeconds(60)).AsTask();

        bench.Advance(60);

        await Assert.ThrowsAnyAsync<Exception>(() => creation);
    }

    [Fact]
    public async Task A_server_that_does_not_answer_leaves_time_for_the_others()
    {
        var bench = new ServerBench();
        var gate = new Gate<Part>();
        var creation = bench.Set.CreateAsync(
            (server, token) => server is "A" ? new ValueTask<Part>(NeverAsync(token)) : gate.WaitAsync(token),
            Timeout.InfiniteTimeSpan).AsTask();

        bench.Advance(4.9);
        Assert.Equal(0, gate.Waiting);
        bench.Advance(0.1);
        gate.Release(new Part(1));

        Assert.Equal("B", (await creation).Server);
        Assert.IsType<TimeoutException>(bench.Of("A").LastFailure);
    }

    [Fact]
    public async Task The_last_remaining_server_gets_all_the_remaining_time()
    {
        var bench = new ServerBench(servers: "AB") { Down = { "A" } };
        var gate = new Gate<Part>();
        var creation = bench.Set.CreateAsync(
            (server, token) => server is "A" ? throw new IOException() : gate.WaitAsync(token), Timeout.InfiniteTimeSpan)
                .AsTask();

        bench.Advance(3_600);
        Assert.False(gate.Token.IsCancellationRequested);
        gate.Release(new Part(1));
        Assert.Equal("B", (await creation).Server);
    }

    [Fact]
    public async Task A_creation_that_times_out_counts_as_a_failure_of_its_server()
    {
        var bench = new ServerBench();
        var creation =
            bench.Set.CreateAsync((_, token) => new ValueTask<Part>(NeverAsync(token)), TimeSpan.FromSeconds(4)).AsTask();

        bench.Advance(4);

        var failure = await Assert.ThrowsAsync<TimeoutException>(() => creation);
        Assert.IsAssignableFrom<OperationCanceledException>(failure.InnerException);
        Assert.Equal((ServerHealth.Avoided, 0), (bench.Of("A").Health, bench.Of("A").Creating));
        Assert.Equal(0, bench.Of("B").Failures);
    }

    // A pool starts its timeout before it calls its policy, so this timeout, which cancels the token, elapses first.
    [Theory]
    [InlineData(3.5, ServerHealth.Up)]
    [InlineData(3.6, ServerHealth.Avoided)]
    public async Task A_cancellation_counts_as_a_timeout_if_nearly_all_of_the_time_is_over(double seconds, ServerHealth health)
    {
        var bench = new ServerBench();
        using var unwanted = new CancellationTokenSource();
        var creation = bench.Set.CreateAsync(
            (_, token) => new ValueTask<Part>(NeverAsync(token)), TimeSpan.FromSeconds(4), unwanted.Token).AsTask();

        bench.Advance(seconds);
        await unwanted.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => creation);
        Assert.Equal((health, 0), (bench.Of("A").Health, bench.Of("A").Creating));
    }

    [Fact]
    public async Task A_creation_whose_time_was_spent_on_other_servers_ends_with_a_timeout()
    {
        var bench = new ServerBench();
        var creation = bench.Set.CreateAsync(
            (server, token) =>
            {
                if (server is "A")
                {
                    bench.Advance(4);
                }

                return server is "A" ? throw new IOException() : new ValueTask<Part>(bench.CreatePart(server, token));
            },
            TimeSpan.FromSeconds(4)).AsTask();

        await Assert.ThrowsAsync<IOException>(() => creation);
        Assert.Equal((ServerHealth.Avoided, ""), (bench.Of("A").Health, bench.TakeTried()));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(50)]
    public void A_timeout_out_of_range_is_rejected(double days)
    {
        var bench = new ServerBench();
        var timeout = TimeSpan.FromDays(days);

        Assert.Throws<ArgumentOutOfRangeException>("timeout", () => bench.Set.Create(bench.CreatePart, timeout));
        Assert.Equal("", bench.TakeTried());
    }

    [Fact]
    public void The_longest_timeout_of_a_pool_is_accepted()
    {
        var bench = new ServerBench();
        var timeout = TimeSpan.FromMilliseconds(uint.MaxValue - 1);
        new ResourcePoolOptions { MaxSize = 1, CreateTimeout = timeout }.Freeze();

        bench.Set.Create(bench.CreatePart, timeout).Dispose();

        Assert.Equal("A", bench.TakeTried());
    }

    [Fact]
    public async Task A_cancelled_creation_does_not_count_as_a_failure()
    {
        var bench = new ServerBench();
        using var unwanted = new CancellationTokenSource();
        var creation = bench.Set.CreateAsync(
            (_, token) => new ValueTask<Part>(NeverAsync(token)), Timeout.InfiniteTimeSpan, unwanted.Token).AsTask();

        await unwanted.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => creation);
        Assert.All(
            bench.Set.GetStatistics(),
            each => Assert.Equal((ServerHealth.Up, 0, 0L), (each.Health, each.Creating, each.Failures)));
    }

    [Fact]
    public void A_token_cancelled_beforehand_starts_no_attempt()
    {
        var bench = new ServerBench();
        var cancelled = new CancellationToken(canceled: true);

        Assert.Throws<OperationCanceledException>(() => bench.Set.Create(
            bench.CreatePart, TimeSpan.FromSeconds(1), cancelled));
        Assert.Equal("", bench.TakeTried());
    }

    [Fact]
    public async Task A_creation_that_ignores_its_token_is_abandoned_at_its_timeout_and_disposed_when_it_arrives()
    {
        var bench = new ServerBench();
        var gate = new Gate<DisposablePart>();
        var creation = bench.Set.CreateAsync(
            (server, _) => server is "A"
                ? gate.WaitAsync(CancellationToken.None)
                : new ValueTask<DisposablePart>(new DisposablePart()),
            Timeout.InfiniteTimeSpan).AsTask();

        bench.Advance(5);
        await using var item = await creation;
        Assert.Equal(("B", ServerHealth.Avoided, 0), (item.Server, bench.Of("A").Health, bench.Of("A").Creating));

        var late = new DisposablePart();
        gate.Release(late);
        await late.Disposed;
        Assert.Equal((0, 1), (bench.Of("A").Items, bench.Of("B").Items));
    }

    [Fact]
    public async Task A_blocking_creation_that_ignores_its_token_is_abandoned_at_its_timeout_and_disposed_when_it_arrives()
    {
        var bench = new ServerBench(servers: "AB");
        using var entered = new ManualResetEventSlim();
        using var unblock = new ManualResetEventSlim();
        var late = new DisposablePart();
        var token = TestContext.Current.CancellationToken;
        var creation = Task.Factory.StartNew(
            () => bench.Set.Create(
                (server, _) =>
                {
                    if (server is "B")
                    {
                        return new DisposablePart();
                    }

                    entered.Set();
                    unblock.Wait(token);
                    return late;
                },
                Timeout.InfiniteTimeSpan),
            token,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

        entered.Wait(token);
        bench.Advance(5);
        using var item = await creation;
        Assert.Equal(("B", ServerHealth.Avoided), (item.Server, bench.Of("A").Health));

        unblock.Set();
        await late.Disposed;
        Assert.Equal(0, bench.Of("A").Items);
    }

    // The waiting caller has left by then, so nothing would dispose the item.
    [Fact]
    public async Task An_item_that_is_created_at_the_moment_of_its_timeout_is_disposed_or_used()
    {
        for (var round = 0; round < 100; round++)
        {
            var bench = new ServerBench(servers: "AB");
            var late = new DisposablePart();
            var creation = bench.Set.CreateAsync(
                (server, token) =>
                {
                    if (server is "B")
                    {
                        return new ValueTask<DisposablePart>(new DisposablePart());
                    }

                    // Cancelled after the wait for it, which was registered later.
                    var created = new TaskCompletionSource<DisposablePart>();
                    token.Register(() => created.SetResult(late));
                    return new ValueTask<DisposablePart>(created.Task);
                },
                Timeout.InfiniteTimeSpan).AsTask();

            // With a context of its own, this thread does not run the code that waits before it has created the item.
            Threads.RunAlone(() =>
            {
                SynchronizationContext.SetSynchronizationContext(new SynchronizationContextOfItsOwn());
                bench.Advance(5);
            });

            using var item = await creation;
            if (item.Value != late)
            {
                await late.Disposed.WaitAsync(Background.Limit, TestContext.Current.CancellationToken);
            }

            Assert.Equal((item.Server is "A" ? 1 : 0, 0), (bench.Of("A").Items, bench.Of("A").Creating));
        }
    }

    [Fact]
    public async Task An_interrupt_ends_a_blocking_creation_and_its_item_is_disposed_when_it_arrives()
    {
        var bench = new ServerBench(servers: "AB");
        using var entered = new ManualResetEventSlim();
        using var unblock = new ManualResetEventSlim();
        var late = new DisposablePart();
        var cancelled = new TaskCompletionSource();
        var caller = Interruptible.Start(() => bench.Set.Create(
            (server, token) =>
            {
                token.Register(cancelled.SetResult);
                entered.Set();
                Assert.True(unblock.Wait(Background.Limit, CancellationToken.None));
                return late;
            },
            Timeout.InfiniteTimeSpan));
        Assert.True(entered.Wait(Background.Limit, TestContext.Current.CancellationToken));
        caller.AwaitBlocked();
        caller.Interrupt();
        caller.Join();
        await cancelled.Task.WaitAsync(TestContext.Current.CancellationToken);
        unblock.Set();

        Assert.IsType<ThreadInterruptedException>(caller.Failure);
        await late.Disposed;
        Assert.All(
            bench.Set.GetStatistics(),
            each => Assert.Equal((ServerHealth.Up, 0, 0, 0L), (each.Health, each.Creating, each.Items, each.Failures)));
    }

    [Theory]
    [InlineData(0.02, ServerHealth.Up)]
    [InlineData(5, ServerHealth.Avoided)]
    public async Task The_end_of_CreateTimeout_counts_against_a_server_only_if_it_had_a_full_attempt(
        double seconds, ServerHealth health)
    {
        var bench = new ServerBench(servers: "AB");
        var atSecond = new TaskCompletionSource();
        var creation = bench.Set.CreateAsync(
            (server, token) =>
            {
                if (server is "B")
                {
                    atSecond.SetResult();
                }

                return new ValueTask<Part>(NeverAsync(token));
            },
            TimeSpan.FromSeconds(5 + seconds)).AsTask();
        bench.Advance(5);
        await atSecond.Task;

        bench.Advance(seconds);

        await Assert.ThrowsAsync<TimeoutException>(() => creation);
        Assert.Equal((ServerHealth.Avoided, health, 0), (bench.Of("A").Health, bench.Of("B").Health, bench.Of("B").Creating));
    }

    private sealed class SynchronizationContextOfItsOwn : SynchronizationContext;

    private sealed class DisposablePart : IDisposable
    {
        private readonly TaskCompletionSource _disposed = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Disposed => _disposed.Task.WaitAsync(TestContext.Current.CancellationToken);

        public void Dispose() => _disposed.TrySetResult();
    }

    [Fact]
    public void Simultaneous_failures_count_once()
    {
        var bench = new ServerBench(servers: "A");
        var gate = new Gate<Part>();
        for (var i = 0; i < 4; i++)
        {
            _ = bench.Set.CreateAsync((_, token) => gate.WaitAsync(token), Timeout.InfiniteTimeSpan).AsTask();
        }

        for (var i = 0; i < 4; i++)
        {
            gate.Fail(new IOException());
        }

        Assert.Equal((1, 10), (bench.Of("A").FailuresInRow, bench.Of("A").RecheckIn.TotalSeconds));
    }

    [Fact]
    public void Items_that_break_together_fail_their_server_once()
    {
        var bench = new ServerBench();
        var items = Enumerable.Range(0, 5).Select(_ => bench.Create()).ToList();

        items.ForEach(item => item.ReportFailure(new SocketException()));

        Assert.Equal((ServerHealth.Avoided, 1L), (bench.Of("A").Health, bench.Of("A").Failures));
        Assert.IsType<SocketException>(bench.Of("A").LastFailure);
        Assert.Equal("B", bench.Where());
    }

    [Fact]
    public void A_report_about_an_item_created_before_an_outage_is_ignored()
    {
        var bench = new ServerBench();
        using var stale = bench.Create();
        using var other = bench.Create();
        other.ReportFailure();
        bench.Advance(10);
        using var fresh = bench.Create();

        stale.ReportFailure();
        Assert.Equal(ServerHealth.Up, bench.Of("A").Health);
        fresh.ReportFailure();
        Assert.Equal(ServerHealth.Avoided, bench.Of("A").Health);
    }

    [Fact]
    public void Reports_about_a_server_that_is_avoided_do_not_prolong_it()
    {
        var bench = new ServerBench();
        bench.Fail("A");
        bench.Advance(5);
        bench.Fail("A");

        Assert.Equal((1L, 5), (bench.Of("A").Failures, bench.Of("A").RecheckIn.TotalSeconds));
    }

    [Fact]
    public void Reports_about_unknown_servers_are_ignored()
    {
        var bench = new ServerBench();
        bench.Set.ReportFailure("Z");
        bench.Set.ReportSuccess("Z");

        Assert.All(bench.Set.GetStatistics(), each => Assert.Equal(0, each.Failures));
    }

    [Fact]
    public void A_reported_success_ends_the_avoidance()
    {
        var bench = new ServerBench();
        bench.Fail("A");
        bench.Down.Clear();

        bench.Set.ReportSuccess("A");

        Assert.Equal("A", bench.Where());
        Assert.Null(bench.Of("A").LastFailure);
    }

    // The cancelling caller continues with the next attempt on the same stack.
    private static Task<Part> NeverAsync(CancellationToken cancellationToken)
    {
        var never = new TaskCompletionSource<Part>();
        cancellationToken.Register(() => never.TrySetCanceled(cancellationToken));
        return never.Task;
    }
}
