using System.Diagnostics.Metrics;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources.Keyed;

/// <summary>
/// Whether a key wants capacity is a state of its pool and not an event: a key that no longer wants any makes no other key give
/// up an item.
/// </summary>
public sealed class CapacityBetweenKeys
{
    private readonly ManualTimeProvider _clock = new();
    private readonly ManualScheduler _work = new();
    private readonly Dictionary<string, ScriptedPolicy> _policies = new(StringComparer.Ordinal);
    private KeyedResourcePool<string, Part>? _pool;
    private Action<ResourcePoolOptions>? _configure;
    private int _maxSize = 1;

    private KeyedResourcePool<string, Part> Pool => _pool ??= NewPool();

    [Fact]
    public async Task A_key_whose_caller_timed_out_takes_no_item_from_the_callers_of_another()
    {
        var held = Rent("held");
        var gone = Request("gone", seconds: 1);
        Advance(0.1);
        var waiting = Request("held", seconds: 30);
        Advance(2);
        await Assert.ThrowsAsync<PoolTimeoutException>(() => gone);

        Return(held);

        AssertServedByTheSameItem(waiting);
    }

    [Fact]
    public async Task A_warm_up_beyond_the_capacity_over_all_keys_is_rejected()
    {
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => Pool.WarmUpAsync("warm", 2));

        var warm = Pool.WarmUpAsync("warm", 1);
        _work.Run();
        await warm.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_key_whose_caller_cancelled_takes_no_item_from_the_callers_of_another()
    {
        using var cancellation = new CancellationTokenSource();
        var held = Rent("held");
        var gone = Pool.RentAsync("gone", cancellation.Token).AsTask();
        Advance(0.1);
        var waiting = Request("held", seconds: 30);
        await cancellation.CancelAsync();
        _work.Run();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => gone);

        Return(held);

        AssertServedByTheSameItem(waiting);
    }

    [Fact]
    public void A_key_whose_caller_was_served_by_a_return_takes_no_item_from_another()
    {
        _maxSize = 2;
        var held = Rent("held");
        var other = Rent("served");
        var served = Request("served", seconds: 30);
        Return(other);
        Assert.True(served.IsCompletedSuccessfully);

        Return(held);

        Assert.Equal(0, Pool.GetStatistics().DestroyedFor(DestroyReason.Evicted));
        Assert.Equal(1, Pool.GetStatistics("held")!.Idle);
    }

    [Fact]
    public void A_key_releases_an_idle_item_while_another_is_validated_for_its_only_caller()
    {
        _maxSize = 3;
        _configure = static options => options.ValidateAfterIdle = Workbench.Seconds(1);
        var validation = new TaskCompletionSource<bool>();
        Policy("validated").Validates = (_, _, _) => new ValueTask<bool>(validation.Task);
        var both = new[] { Rent("validated"), Rent("validated") };
        Array.ForEach(both, Return);
        _ = Rent("other");
        Advance(2);
        var relies = Request("validated", seconds: 30);
        Assert.Equal((1, 1), (Pool.GetStatistics("validated")!.Validating, Pool.GetStatistics("validated")!.Idle));

        var waiting = Request("other", seconds: 30);

        Assert.True(waiting.IsCompletedSuccessfully, "A caller waits beside an idle item of another key.");
        validation.SetResult(true);
        _work.Run();
        Assert.True(relies.IsCompletedSuccessfully);
    }

    [Fact]
    public void A_suspended_key_takes_no_item_from_another()
    {
        var held = Rent("held");
        var suspended = Request("suspended", seconds: 300);
        Pool.Find("suspended")!.Suspend();
        _work.Run();

        Return(held);
        Assert.Equal(0, Pool.GetStatistics().DestroyedFor(DestroyReason.Evicted));

        Pool.Find("suspended")!.Resume();
        _work.Run();
        Assert.True(suspended.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_key_that_cannot_create_yet_takes_no_item_from_another()
    {
        _maxSize = 2;
        _configure = options => (options.RetryDelay, options.MaxRetryDelay) = (Workbench.Seconds(60), Workbench.Seconds(60));
        var held = Rent("held");
        Policy("down").Creates = _ => throw new InvalidOperationException("The server is down.");
        var waiting = Request("down", seconds: 10);
        var second = Rent("held");

        Return(held);
        Return(second);

        Assert.Equal(0, Pool.GetStatistics().DestroyedFor(DestroyReason.Evicted));
        Advance(11);
        await Assert.ThrowsAsync<PoolUnavailableException>(() => waiting);
    }

    [Fact]
    public void A_queued_creation_is_withdrawn_when_the_capacity_becomes_smaller()
    {
        _maxSize = 2;
        var held = Rent("held");
        var waiting = Pool.RentAsync("waiting", Workbench.Seconds(30)).AsTask();

        Pool.Resize(1);
        _work.Run();
        Assert.Empty(Policy("waiting").Created);
        var now = Pool.GetStatistics();
        Assert.Equal((1, 0, 1, 0), (now.Live, now.Creating, now.Waiting, now.CreateFailures));

        Return(held);
        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Equal(1, Pool.GetStatistics().Live);
    }

    [Fact]
    public void Queued_creations_of_several_keys_are_withdrawn_until_the_smaller_capacity_is_reached()
    {
        _maxSize = 4;
        var held = Rent("held");
        var waiting = new[] { "first", "second", "third" }
            .Select(key => Pool.RentAsync(key, Workbench.Seconds(30)).AsTask()).ToList();

        Pool.Resize(2);
        _work.Run();
        var now = Pool.GetStatistics();
        Assert.Equal((2, 2, 0), (now.Live, now.Created, now.CreateFailures));
        var served = Assert.Single(waiting, static request => request.IsCompletedSuccessfully);

        Return(held);
        Return(LeaseOf(served));
        Assert.All(waiting, static request => Assert.True(request.IsCompletedSuccessfully));
        Assert.Equal(2, Pool.GetStatistics().Live);
    }

    [Fact]
    public async Task MaxWaiters_limits_the_callers_of_a_key_while_others_hold_all_of_the_capacity()
    {
        _configure = static options => options.MaxWaiters = 0;
        var held = Rent("held");
        var first = Request("waiting", seconds: 30);

        var second = Request("waiting", seconds: 30);

        await Assert.ThrowsAsync<PoolOverloadedException>(() => second.WaitAsync(Background.Limit));
        Assert.False(first.IsCompleted);
        Return(held);
        Assert.True(first.IsCompletedSuccessfully);
        Return(LeaseOf(first));
        Return(Rent("waiting"));
    }

    [Fact]
    public void Callers_that_idle_items_of_another_key_make_room_for_are_not_rejected()
    {
        _maxSize = 2;
        _configure = static options => options.MaxWaiters = 0;
        var idle = new[] { Rent("idle"), Rent("idle") };
        Array.ForEach(idle, Return);

        var waiting = new[] { "waiting", "waiting" }
            .Select(key => Pool.RentAsync(key, Workbench.Seconds(30)).AsTask()).ToList();
        _work.Run();

        Assert.All(waiting, request => Assert.True(request.IsCompletedSuccessfully));
    }

    [Fact]
    public async Task Capacity_reserved_for_a_caller_that_gave_up_goes_to_the_next_key()
    {
        using var cancellation = new CancellationTokenSource();
        var held = Rent("held");
        var first = Pool.RentAsync("first", cancellation.Token).AsTask();
        var second = Request("second", seconds: 30);
        held.Dispose();
        await cancellation.CancelAsync();
        _work.Run();

        Assert.True(second.IsCompletedSuccessfully);
        Assert.True(first.IsCanceled);
    }

    [Fact]
    public async Task A_warm_up_continues_when_capacity_is_released()
    {
        var held = Rent("held");
        var warm = Pool.WarmUpAsync("warm", 1);
        _work.Run();
        Assert.False(warm.IsCompleted);

        held.Discard();
        _work.Run();

        Assert.Equal(1, Pool.GetStatistics("warm")!.Idle);
        await warm.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_pending_warm_up_ends_when_a_smaller_capacity_is_reached()
    {
        _maxSize = 2;
        Return(Rent("warm"));
        var held = Rent("held");
        var warm = Pool.WarmUpAsync("warm", 2);
        _work.Run();
        Assert.False(warm.IsCompleted);

        Pool.Resize(1);
        _work.Run();

        // The idle item was given up, because the other one is leased.
        Assert.False(warm.IsCompleted);
        held.Discard();
        _work.Run();
        await warm.WaitAsync(Background.Limit);
        Assert.Equal(1, Pool.GetStatistics("warm")!.Idle);
    }

    [Fact]
    public void A_minimum_is_filled_when_capacity_is_released()
    {
        _configure = options => options.MinIdle = 1;
        var held = Rent("held");
        var other = Request("other", seconds: 0.5);
        Advance(1);
        Assert.True(other.IsFaulted);

        Pool.Find("held")!.Suspend();
        held.Detach();
        _work.Run();

        Assert.Equal(1, Pool.GetStatistics().Idle);
    }

    [Fact]
    public void A_caller_takes_precedence_over_a_warm_up_of_another_key()
    {
        var held = Rent("held");
        var warm = Pool.WarmUpAsync("warm", 1);
        var caller = Request("caller", seconds: 30);

        Return(held);

        Assert.True(caller.IsCompletedSuccessfully);
        Assert.False(warm.IsCompleted);
    }

    [Fact]
    public async Task A_key_in_a_warm_up_is_not_removed()
    {
        var held = Rent("held");
        var warm = Pool.WarmUpAsync("warm", 1);
        _work.Run();

        // Longer than KeyIdleTimeout.
        Advance(3_600);
        Assert.False(warm.IsCompleted);

        held.Discard();
        _work.Run();
        Assert.Equal(1, Pool.GetStatistics("warm")!.Idle);
        await warm.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task Removing_a_key_ends_its_outage()
    {
        Policy("down").Creates = _ => throw new InvalidOperationException("The server is down.");
        var waiting = Request("down", seconds: 1);
        Advance(2);
        await Assert.ThrowsAsync<PoolUnavailableException>(() => waiting);
        Assert.True(Pool.GetStatistics().InOutage);

        Advance(3_600);

        Assert.Equal(0, Pool.KeyCount);
        var now = Pool.GetStatistics();
        Assert.False(now.InOutage);
        Assert.Equal(1, now.Timeouts);
        Assert.True(now.CreateFailures > 0);
    }

    [Fact]
    public void Removing_a_key_ends_its_suspension()
    {
        Return(Rent("suspended"));
        Pool.Find("suspended")!.Trim();
        Pool.Find("suspended")!.Suspend();
        _work.Run();
        Assert.True(Pool.GetStatistics().Suspended);

        Advance(3_600);

        Assert.Equal((0, false), (Pool.KeyCount, Pool.GetStatistics().Suspended));
    }

    [Fact]
    public async Task A_drained_pool_closes_although_the_drain_is_no_longer_awaited()
    {
        using var meter = new Meter("drained");
        _configure = options => options.Meter = meter;
        var held = Rent("held");
        using var impatience = new CancellationTokenSource();
        var drained = Pool.DrainAsync(impatience.Token);
        await impatience.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => drained);
        Assert.NotEmpty(Gauges.Read(meter));

        Return(held);

        Background.Until(() => Gauges.Read(meter).Count == 0);
    }

    /// <summary>The lease of a wait that has ended.</summary>
    private static Lease<Part> LeaseOf(Task<Lease<Part>> request) => request.Result;

    private static void Configure(ResourcePoolOptions options)
    {
        options.IdleTimeout = Timeout.InfiniteTimeSpan;
        options.MaxLifetime = Timeout.InfiniteTimeSpan;
    }

    private void AssertServedByTheSameItem(Task<Lease<Part>> waiting)
    {
        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Equal(0, Pool.GetStatistics().DestroyedFor(DestroyReason.Evicted));
        Assert.Equal(1, Pool.GetStatistics().Created);
    }

    private ScriptedPolicy Policy(string key)
    {
        if (!_policies.TryGetValue(key, out var policy))
        {
            _policies[key] = policy = new ScriptedPolicy();
        }

        return policy;
    }

    private KeyedResourcePool<string, Part> NewPool()
    {
        var perKey =
            new ResourcePoolOptions { MaxSize = 2, TimeProvider = _clock, Scheduler = _work, Random = new FixedRandom() };
        Configure(perKey);
        _configure?.Invoke(perKey);
        return new KeyedResourcePool<string, Part>(
            Policy, new KeyedResourcePoolOptions<string> { MaxSize = _maxSize, Pool = perKey });
    }

    private Task<Lease<Part>> Request(string key, double seconds)
    {
        var request = Pool.RentAsync(key, Workbench.Seconds(seconds)).AsTask();
        _work.Run();
        return request;
    }

    private Lease<Part> Rent(string key)
    {
        var request = Request(key, seconds: 30);
        Assert.True(request.IsCompletedSuccessfully);
        return request.GetAwaiter().GetResult();
    }

    private void Return(Lease<Part> lease)
    {
        lease.Dispose();
        _work.Run();
    }

    private void Advance(double seconds)
    {
        for (var i = 0; i < 100; i++)
        {
            _clock.Advance(Workbench.Seconds(seconds / 100));
            _work.Run();
        }
    }
}
