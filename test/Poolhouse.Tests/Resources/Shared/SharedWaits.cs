using System.Collections.Concurrent;

namespace Poolhouse.Tests.Resources.Shared;

/// <summary>Callers of a shared pool that wait for an item being created count as waiting, once.</summary>
public sealed class SharedWaits : IDisposable
{
    private const int Uses = 4;

    private readonly SharedBench _bench = new(maxSize: 1, maxUses: Uses);
    private readonly SharedBench _pair = new(maxSize: 2, maxUses: 2);
    private readonly Gate<Part> _creating = new();
    private readonly Recorder _recorder = new();

    public SharedWaits()
    {
        _bench.Policy.Creates = _creating.WaitAsync;
        _bench.Options.Pool.Observer = _recorder;
    }

    private SharedResourcePoolStatistics Now => _bench.Pool.GetStatistics();

    private IReadOnlyList<WaitEndedArgs> Waits => _recorder.Of<WaitEndedArgs>();

    public void Dispose()
    {
        _bench.Dispose();
        _pair.Dispose();
    }

    /// <summary>A caller that waits for the first item.</summary>
    private Task<Lease<Part>> RequestAsync(TimeSpan? timeout = null, CancellationToken cancellationToken = default)
    {
        var caller = _bench.Pool.RentAsync(timeout ?? TimeSpan.FromSeconds(20), cancellationToken).AsTask();
        Background.Until(() => _creating.Waiting == 1 && Now.Waiting == 1);
        return caller;
    }

    /// <summary>
    /// The first use, of an item that was created at once; the creation of the next item lasts until the test ends it.
    /// </summary>
    private async Task<Lease<Part>> RentWhileSecondIsCreatedAsync()
    {
        var creations = 0;
        _pair.Policy.Creates = token =>
            Interlocked.Increment(ref creations) == 1 ? new ValueTask<Part>(_pair.Policy.New()) : _creating.WaitAsync(token);
        var lease = await _pair.RentAsync();
        Background.Until(() => _creating.Waiting == 1);
        return lease;
    }

    private Task<Lease<Part>> RequestOfPair(bool blocks) =>
        blocks ? Background.Start(() => _pair.Pool.Rent(CancellationToken.None)) : _pair.RequestAsync();

    [Fact]
    public async Task An_awaited_disposal_ends_waits_before_anything_is_destroyed()
    {
        var work = new ManualScheduler { RunsContinuations = true };
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);
        bench.Options.Pool.Scheduler = work;
        var opened = new TaskCompletionSource<Part>();
        bench.Policy.Creates = token => new ValueTask<Part>(opened.Task.WaitAsync(token));
        _ = bench.Pool;
        work.Run();
        var waiting = bench.RequestAsync();
        work.Run();
        Assert.False(waiting.IsCompleted);

        var disposal = bench.Pool.DisposeAsync().AsTask();

        Background.Until(() =>
        {
            work.Run();
            return waiting.IsCompleted;
        });
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting.WaitAsync(Background.Limit));
        Background.Until(() =>
        {
            work.Run();
            return disposal.IsCompleted;
        });
        await disposal;
    }

    [Fact]
    public async Task Callers_count_as_waiting_and_then_as_served_after_a_wait()
    {
        List<Task<Lease<Part>>> callers = [RequestAsync(), _bench.RequestAsync(), _bench.RequestAsync()];
        Background.Until(() => Now.Waiting == 3);
        Assert.Equal((0, 0), (Now.Leased, Now.Rented));

        _bench.Clock.Advance(TimeSpan.FromSeconds(2));
        _creating.Release(_bench.Policy.New());
        var leases = await Task.WhenAll(callers).WaitAsync(Background.Limit);
        (await _bench.RentAsync()).Dispose();

        Assert.Equal((0, 3, 4, 3, 1), (Now.Waiting, Now.Leased, Now.Rented, Now.Waits, Now.Hits));
        Assert.Equal(TimeSpan.FromSeconds(6), Now.WaitTime);
        Assert.Equal(TimeSpan.Zero, Now.OldestLease);
        Array.ForEach(leases, lease => lease.Dispose());
        Assert.Equal((0, 4, TimeSpan.Zero), (Now.Leased, Now.Returned, Now.UseTime));
    }

    [Fact]
    public async Task A_timeout_is_counted_and_reported_to_the_observer()
    {
        var hasty = RequestAsync(TimeSpan.FromSeconds(1));

        _bench.Clock.Advance(TimeSpan.FromSeconds(1));

        await Assert.ThrowsAsync<PoolTimeoutException>(() => hasty.WaitAsync(Background.Limit));
        Assert.Equal((0, 0, 1, 0, 0), (Now.Waiting, Now.Leased, Now.Timeouts, Now.Rented, Now.Returned));
        Assert.Equal([new WaitEndedArgs(_bench.Pool, WaitOutcome.TimedOut, TimeSpan.FromSeconds(1))], Waits);
    }

    [Fact]
    public async Task A_cancellation_is_counted()
    {
        using var cancellation = new CancellationTokenSource();
        var cancelled = RequestAsync(cancellationToken: cancellation.Token);

        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.WaitAsync(Background.Limit));
        Assert.Equal((0, 1, 0), (Now.Waiting, Now.Cancellations, Now.Timeouts));
        Assert.Equal(WaitOutcome.Cancelled, Assert.Single(Waits).Outcome);
    }

    [Fact]
    public async Task A_failed_creation_ends_the_waits_and_counts_no_rent()
    {
        _bench.Options.Pool.OutageTimeout = TimeSpan.Zero;
        var caller = RequestAsync();

        _creating.Fail(new IOException("no route"));

        await Refused.WithAsync<IOException>(() => caller.WaitAsync(Background.Limit));
        Assert.Equal((0, 0, 0, true), (Now.Waiting, Now.Leased, Now.Rented, Now.Items.InOutage));
        Assert.Equal(WaitOutcome.Failed, Assert.Single(Waits).Outcome);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_caller_gets_the_room_of_an_item_while_another_is_created(bool blocks)
    {
        _pair.Options.MaxUsesPerItem = 1;
        var first = await RentWhileSecondIsCreatedAsync();
        var caller = RequestOfPair(blocks);
        Background.Until(() => _pair.Pool.GetStatistics().Waiting == 1);

        first.Dispose();

        using var lease = await caller.WaitAsync(Background.Limit);
        Assert.Equal((1, 1), (lease.Value.Number, _creating.Waiting));
    }

    [Fact]
    public async Task A_newcomer_does_not_take_the_room_for_which_another_caller_waits()
    {
        _pair.Options.GrowAtLoad = 0.5;
        var first = await RentWhileSecondIsCreatedAsync();
        using var second = await _pair.RentAsync();
        var caller = RequestOfPair(blocks: false);
        Background.Until(() => _pair.Pool.GetStatistics().Waiting == 1);

        first.Dispose();

        Assert.False(_pair.Pool.TryRent(out _));
        using var lease = await caller.WaitAsync(Background.Limit);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_failed_creation_ends_all_waits_although_an_item_is_full(bool blocks)
    {
        _pair.Options.GrowAtLoad = 0.5;
        _pair.Options.Pool.OutageTimeout = TimeSpan.Zero;
        using var first = await RentWhileSecondIsCreatedAsync();
        using var second = await _pair.RentAsync();
        Task<Lease<Part>>[] callers = [RequestOfPair(blocks), RequestOfPair(blocks)];
        Background.Until(() => _pair.Pool.GetStatistics().Waiting == 2);

        _creating.Fail(new IOException("no route"));

        foreach (var caller in callers)
        {
            await Refused.WithAsync<IOException>(() => caller.WaitAsync(Background.Limit));
        }

        Assert.Equal((0, 2), (_pair.Pool.GetStatistics().Waiting, _pair.Pool.GetStatistics().Leased));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_caller_gets_the_room_of_an_item_while_the_successor_of_a_used_one_waits_for_its_capacity(bool blocks)
    {
        var leases = await _pair.RentAsync(4);
        var (inactive, full) = (leases[0].Value, leases.First(lease => lease.Value != leases[0].Value).Value);
        leases[0].Discard();
        var caller = RequestOfPair(blocks);
        Background.Until(() => _pair.Pool.GetStatistics().Waiting == 1);
        Assert.Equal((2, 0), (_pair.Items.Live, _pair.Items.Creating));

        leases.First(lease => lease.IsActive && lease.Value == full).Dispose();

        using var lease = await caller.WaitAsync(Background.Limit);
        Assert.Same(full, lease.Value);
        Assert.Contains(leases, lease => lease.IsActive && lease.Value == inactive);
    }

    [Fact]
    public async Task Disposal_ends_the_waits()
    {
        var caller = RequestAsync();

        _bench.Pool.Dispose();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => caller.WaitAsync(Background.Limit));
        Assert.Equal(WaitOutcome.Closed, Assert.Single(Waits).Outcome);
    }

    [Fact]
    public async Task A_blocked_caller_gets_the_item_although_the_thread_pool_starves_during_its_creation()
    {
        var work = new StarvingScheduler();
        (_bench.Options.Pool.Scheduler, _bench.Options.Pool.MinIdle) = (work, 1);
        Background.Until(() => !_bench.Pool.GetStatistics().Closed && _creating.Waiting == 1);
        work.IsStarved = true;
        var caller = Background.Start(() => _bench.Pool.Rent(CancellationToken.None));
        Background.Until(() => Now.Waiting == 1);

        _creating.Release(_bench.Policy.New());

        (await caller.WaitAsync(Background.Limit)).Dispose();
    }

    [Fact]
    public async Task A_wait_is_not_reported_as_a_leak_and_the_use_after_it_may_be()
    {
        _bench.Options.Pool.LeakThreshold = TimeSpan.FromSeconds(5);
        var caller = RequestAsync();

        _bench.Clock.Advance(TimeSpan.FromSeconds(10));
        Assert.Empty(_recorder.Of<LeakSuspectedArgs>());
        _creating.Release(_bench.Policy.New());
        using var lease = await caller.WaitAsync(Background.Limit);
        _bench.AdvanceUntil(() => _recorder.Of<LeakSuspectedArgs>().Count > 0, TimeSpan.FromSeconds(5), steps: 3);

        Assert.Same(_bench.Pool, Assert.Single(_recorder.Of<LeakSuspectedArgs>()).Pool);
    }

    [Fact]
    public async Task An_item_is_created_and_added_without_the_context_of_its_callers()
    {
        var secret = new AsyncLocal<string> { Value = "mine" };
        var seen = new ConcurrentQueue<string?>();
        _bench.Policy.Creates = _ =>
        {
            seen.Enqueue(secret.Value);
            return new ValueTask<Part>(_bench.Policy.New());
        };
        _bench.Policy.IsBrokenHook = _ =>
        {
            seen.Enqueue(secret.Value);
            return false;
        };

        await _bench.Pool.WarmUpAsync(1).WaitAsync(Background.Limit);

        Assert.All(seen, Assert.Null);
        Assert.True(seen.Count >= 2);
    }

    [Fact]
    public async Task An_item_is_probed_without_the_context_of_the_caller_that_tainted_it()
    {
        var secret = new AsyncLocal<string> { Value = "mine" };
        var seen = new TaskCompletionSource<string?>();
        _bench.Policy.Creates = null;
        _bench.Policy.KeepsAlive = (_, _) =>
        {
            seen.TrySetResult(secret.Value);
            return default;
        };
        var lease = await _bench.RentAsync();

        lease.Taint();
        lease.Dispose();

        Assert.Null(await seen.Task.WaitAsync(Background.Limit));
    }
}
