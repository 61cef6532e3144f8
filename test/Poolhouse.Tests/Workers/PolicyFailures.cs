using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

/// <summary>I10, I11: exceptions of a policy reach only the affected callers.</summary>
public sealed class PolicyFailures
{
    [Fact]
    public void A_failed_state_creation_fails_its_item_and_the_next_item_retries()
    {
        using var bench = new WorkerBench().Listen();
        var attempts = 0;
        bench.Policy.Creating = () =>
        {
            if (++attempts <= 2)
            {
                throw new IOException($"attempt {attempts}");
            }
        };

        Assert.Equal("attempt 1", Assert.Throws<IOException>(() => bench.Use()).Message);
        Assert.Equal("attempt 2", Assert.Throws<IOException>(() => bench.Use()).Message);

        Assert.Equal(0, bench.Use().Number);
        Assert.Equal((2, 1), (bench.Now.CreateFailures, bench.Now.Created));
        Assert.Equal(2, bench.Events.Of<StateCreateFailedArgs>().Count);
    }

    [Fact]
    public void A_null_state_is_an_error()
    {
        using var pool =
            WorkerPool.Create<string>(static () => null!, new WorkerPoolOptions { MaxWorkers = 1, Name = "nothing" });

        var thrown = Assert.Throws<InvalidOperationException>(() => pool.Run(static text => text.Length));

        Assert.Contains("'nothing' returned null", thrown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_failed_state_creation_reaches_the_caller_of_the_warm_up()
    {
        using var bench = new WorkerBench(2);
        bench.Policy.Creating = static () => throw new IOException("cold");

        await Assert.ThrowsAsync<IOException>(() => bench.Pool.WarmUpAsync(2).WaitAsync(Background.Limit));

        bench.Policy.Creating = null;
        Assert.Equal(0, bench.Use().Number);
    }

    [Fact]
    public void A_failed_background_state_creation_is_reported_to_the_observer_only()
    {
        using var bench = new WorkerBench(2).Listen();
        bench.Options.MinWorkers = 2;
        bench.Policy.Creating = static () => throw new InvalidTimeZoneException();

        Assert.Equal(0, Unobserved.Count(static failure => failure is InvalidTimeZoneException, () =>
        {
            Threads.RunAlone(() => _ = bench.Pool);
            Background.Until(() => bench.Events.Of<StateCreateFailedArgs>().Count == 2);
            bench.UntilParked(2);
        }));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_failure_after_its_caller_has_cancelled_is_not_reported_as_unobserved(bool broadcasts)
    {
        using var bench = new WorkerBench();
        using var cancelling = new CancellationTokenSource();
        var block = new BlockingWork();
        if (broadcasts)
        {
            bench.Use();
        }
        else
        {
            bench.Policy.Creating = Fail;
        }

        Assert.Equal(0, Unobserved.Count(static failure => failure is TimeZoneNotFoundException, () =>
        {
            Threads.RunAlone(() =>
            {
                var failing = broadcasts
                    ? bench.Pool.BroadcastAsync(_ => Fail(), cancelling.Token)
                    : bench.Pool.WarmUpAsync(1, cancelling.Token);
                block.WaitUntilStarted();
                cancelling.Cancel();
                Assert.ThrowsAny<OperationCanceledException>(() => failing.WaitAsync(Background.Limit).GetAwaiter().GetResult());
            });
            block.Release();
            bench.UntilParked(1);

            // The tasks complete on the thread pool.
            Task.Run(static () => { }).Wait(Background.Limit);
        }));

        void Fail()
        {
            block.Block();
            throw new TimeZoneNotFoundException();
        }
    }

    [Fact]
    public void A_failing_destruction_is_counted_and_the_worker_continues()
    {
        using var bench = new WorkerBench().Listen();
        bench.Options.MaxItemsPerState = 1;
        bench.Policy.Destroying = static _ => throw new IOException("stuck in the door");

        Assert.Equal([0, 1], [bench.Use().Number, bench.Use().Number]);

        Background.Until(() => bench.Now.DestroyFailures == 2);
        Assert.Equal((2, 2), (bench.Now.Destroyed, bench.Now.DestroyedFor(WorkerDestroyReason.MaxItems)));
        Background.Until(
            () => bench.Events.Of<StateDestroyedArgs>().Count(static destroyed => destroyed.Failure is IOException) == 2);
    }

    [Fact]
    public void A_state_whose_IsBroken_throws_is_destroyed()
    {
        using var bench = new WorkerBench();
        bench.Policy.Breaks = static _ => throw new IOException("no answer");

        Assert.Equal([0, 1], [bench.Use().Number, bench.Use().Number]);

        Assert.Equal(WorkerDestroyReason.Broken, bench.Policy.Created[0].Reason);
    }

    [Fact]
    public void A_state_whose_survival_check_throws_is_destroyed_and_the_caller_gets_the_first_failure()
    {
        using var bench = new WorkerBench();
        bench.Policy.Survivors = static (_, _) => throw new IOException("no answer");

        Assert.Throws<FormatException>(() => bench.Pool.Run(static _ => throw new FormatException()));

        Assert.Equal(1, bench.Use().Number);
        Assert.Equal(WorkerDestroyReason.Tainted, bench.Policy.Created[0].Reason);
    }

    [Fact]
    public async Task The_token_of_the_policy_is_cancelled_when_the_pool_is_disposed()
    {
        var token = new TaskCompletionSource<CancellationToken>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var opened = new ManualResetEventSlim();
        using var pool = new WorkerPool<string>(new TokenPolicy(token, opened), new WorkerPoolOptions { MaxWorkers = 1 });
        var use = pool.RunAsync(static text => text.Length).AsTask();
        var given = await token.Task.WaitAsync(Background.Limit);
        Assert.False(given.IsCancellationRequested);

        await pool.DisposeAsync();

        await Assert.ThrowsAsync<OperationCanceledException>(() => use.WaitAsync(Background.Limit));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_token_of_the_policy_is_cancelled_even_if_only_abandoned_threads_are_left(bool drained)
    {
        using var bench = new WorkerBench();
        bench.Options.RunTimeout = TimeSpan.FromSeconds(1);
        var received = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var never = new ManualResetEventSlim();
        bench.Policy.TokenReceived = token =>
        {
            _ = token.Register(cancelled.SetResult);
            received.SetResult();
            never.Wait(Background.Limit, token);
        };
        var item = bench.RunAsync(static _ => { });
        await received.Task.WaitAsync(Background.Limit);
        bench.Clock.Advance(bench.Options.RunTimeout);
        await Assert.ThrowsAsync<WorkTimeoutException>(() => item.WaitAsync(Background.Limit));
        Background.Until(() => bench.Now.Workers == 0);
        if (drained)
        {
            await bench.Pool.DrainAsync().WaitAsync(Background.Limit);
        }

        bench.Pool.Dispose();

        await cancelled.Task.WaitAsync(Background.Limit);
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
    }

    [Fact]
    public async Task States_of_delegate_pools_are_disposed_or_destroyed_by_the_delegate()
    {
        var (disposed, destroyed) = (0, 0);
        var options = new WorkerPoolOptions { MaxWorkers = 1, StopTimeout = Background.Limit };
        await using (var plain = WorkerPool.Create(() => new Closer(() => disposed++), options))
        {
            plain.Run(static _ => { });
        }

        await using (var own = new WorkerPool<Closer>(
            WorkerPolicy.Create(() => new Closer(() => disposed++), destroy: _ => destroyed++),
            options))
        {
            own.Run(static _ => { });
        }

        await using (var late =
            WorkerPool.Create(() => new LateCloser(() => disposed++), options))
        {
            late.Run(static _ => { });
        }

        Assert.Equal((2, 1), (disposed, destroyed));
    }

    [Fact]
    public async Task A_state_is_disposed_outside_of_the_synchronization_context_that_its_last_item_has_set()
    {
        var disposed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var pool = WorkerPool.Create(
            () => new LateCloser(disposed.SetResult), new WorkerPoolOptions { MaxWorkers = 1, MaxItemsPerState = 1 });

        pool.Run(static _ => SynchronizationContext.SetSynchronizationContext(new DeafContext()));

        await disposed.Task.WaitAsync(Background.Limit);
    }

    private sealed class Closer(Action closed) : IDisposable
    {
        public void Dispose() => closed();
    }

    private sealed class LateCloser(Action closed) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync()
        {
            await Task.Yield();
            closed();
        }
    }

    /// <summary>A context whose callbacks never run.</summary>
    private sealed class DeafContext : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
        }
    }

    private sealed class TokenPolicy(TaskCompletionSource<CancellationToken> token, ManualResetEventSlim opened)
        : WorkerPolicy<string>
    {
        public override string Create(CancellationToken cancellationToken)
        {
            token.SetResult(cancellationToken);
            opened.Wait(Background.Limit, cancellationToken);
            return "too late";
        }
    }
}
