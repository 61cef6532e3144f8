using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources;

/// <summary>Operations of a keyed pool that apply to every key, to existing ones and to later ones.</summary>
public sealed class KeyedOperations : IDisposable
{
    private readonly ManualTimeProvider _clock = new();
    private readonly ScriptedPolicy _policy = new();
    private readonly KeyedResourcePoolOptions<string> _options;
    private KeyedResourcePool<string, Part>? _pool;

    public KeyedOperations() => _options = new KeyedResourcePoolOptions<string>
    {
        MaxSize = 4,
        Pool = new ResourcePoolOptions
        {
            MaxSize = 4,
            TimeProvider = _clock,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MaxLifetime = Timeout.InfiniteTimeSpan,
        },
    };

    private KeyedResourcePool<string, Part> Pool => _pool ??= new KeyedResourcePool<string, Part>(_ => _policy, _options);

    public void Dispose() => _pool?.Dispose();

    [Fact]
    public void A_negative_number_of_leases_is_rejected_even_if_there_is_no_key()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Pool.GetLeases(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => Pool.GetLeases("unknown", -1));
        Assert.Empty(Pool.GetLeases(0));
    }

    [Fact]
    public async Task A_smaller_capacity_destroys_the_coldest_idle_items_of_all_keys()
    {
        await FillAsync("old", 2);
        _clock.Advance(TimeSpan.FromSeconds(1));
        await FillAsync("young", 2);

        Pool.Resize(1);

        Background.Until(() => Pool.GetStatistics().Live == 1);
        Assert.Equal((0, 1), (Pool.GetStatistics("old")!.Live, Pool.GetStatistics("young")!.Live));
        Assert.Equal((1, 3), (Pool.GetStatistics().MaxSize, Pool.GetStatistics().DestroyedFor(DestroyReason.Evicted)));
    }

    [Fact]
    public async Task A_smaller_capacity_destroys_leased_items_as_they_are_returned_and_no_more()
    {
        var a = await RentAsync("a");
        var b = await RentAsync("b");
        var c = await RentAsync("c");

        Pool.Resize(1);
        Assert.Equal(3, Pool.GetStatistics().Live);
        a.Dispose();
        b.Dispose();
        c.Dispose();

        Background.Until(() => Pool.GetStatistics() is { Live: 1, Idle: 1 });
        Assert.Equal(1, Pool.GetStatistics("c")!.Idle);
    }

    [Fact]
    public async Task A_key_that_waits_gets_nothing_until_the_smaller_capacity_has_room()
    {
        var leases = new[] { await RentAsync("a"), await RentAsync("a"), await RentAsync("a") };
        Pool.Resize(2);
        var waiting = Pool.RentAsync("b").AsTask();

        leases[0].Dispose();
        Background.Until(() => Pool.GetStatistics().Live == 2);
        Assert.False(waiting.IsCompleted);

        leases[1].Dispose();
        using var b = await waiting.WaitAsync(Background.Limit);
        Assert.Equal((1, 1), (Pool.GetStatistics("a")!.Live, Pool.GetStatistics("b")!.Live));
        leases[2].Dispose();
    }

    [Fact]
    public async Task A_larger_capacity_serves_keys_that_wait_at_once()
    {
        _options.MaxSize = 1;
        using var a = await RentAsync("a");
        var waiting = Pool.RentAsync("b").AsTask();
        Assert.False(waiting.IsCompleted);

        Pool.Resize(2);

        using var b = await waiting.WaitAsync(Background.Limit);
        Assert.Equal(2, Pool.GetStatistics().Live);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1_000_001)]
    public void A_capacity_out_of_range_changes_nothing(int size)
    {
        Assert.Throws<ArgumentException>(() => Pool.Resize(size));
        Assert.Equal(4, Pool.GetStatistics().MaxSize);
    }

    [Fact]
    public async Task New_options_apply_to_the_keys_that_are_known_and_to_later_ones()
    {
        using var known = await RentAsync("known");
        var options = Options(maxSize: 9, perKey: 1);
        options.Pool.RentTimeout = TimeSpan.Zero;

        Pool.Reconfigure(options);

        await Pool.WarmUpAsync("later", 1);
        using var later = await RentAsync("later");
        await Assert.ThrowsAsync<PoolTimeoutException>(() => Pool.RentAsync("known").AsTask());
        await Assert.ThrowsAsync<PoolTimeoutException>(() => Pool.RentAsync("later").AsTask());
        Assert.Equal(
            (9, 1, 1),
            (Pool.GetStatistics().MaxSize, Pool.GetStatistics("known")!.MaxSize, Pool.GetStatistics("later")!.MaxSize));
    }

    [Fact]
    public async Task A_new_minimum_is_filled_for_every_key()
    {
        using var a = await RentAsync("a");
        using var b = await RentAsync("b");
        var options = Options(maxSize: 10, perKey: 4);
        options.Pool.MinIdle = 2;

        Pool.Reconfigure(options);

        Background.Until(() => Pool.GetStatistics("a")!.Idle == 2 && Pool.GetStatistics("b")!.Idle == 2);
    }

    [Fact]
    public async Task A_shorter_idle_timeout_of_keys_applies_to_keys_that_are_already_unused()
    {
        _options.KeyIdleTimeout = Timeout.InfiniteTimeSpan;
        using (await RentAsync("a"))
        {
        }

        Pool.Trim();
        Background.Until(() => Pool.GetStatistics().Live == 0);
        var options = Options(maxSize: 4, perKey: 4);
        options.KeyIdleTimeout = TimeSpan.FromSeconds(10);

        Pool.Reconfigure(options);

        Background.AdvanceUntil(_clock, () => Pool.KeyCount == 0, TimeSpan.FromSeconds(6), steps: 6);
    }

    [Fact]
    public void Everything_that_is_wrong_is_named_at_once_and_nothing_changes()
    {
        var options = Options(maxSize: 0, perKey: 1);
        options.KeyComparer = StringComparer.OrdinalIgnoreCase;
        options.Pool.IdleOrder = IdleOrder.Fifo;
        options.Pool.Name = "other";
        options.Pool.MinIdle = 7;
        options.Pool.TimeProvider = TimeProvider.System;

        var error = Assert.Throws<ArgumentException>(() => Pool.Reconfigure(options));

        foreach (var part in new[]
                 {
                     "MaxSize is 0", "KeyComparer is \"another one\"", "Pool.IdleOrder is Fifo; allowed: Lifo",
                     "Pool.Name is \"other\"",
                     "Pool.MinIdle is 7", "Pool.TimeProvider is",
                 })
        {
            Assert.Contains(part, error.Message, StringComparison.Ordinal);
        }

        Assert.Equal(4, Pool.GetStatistics().MaxSize);
    }

    [Fact]
    public async Task A_spread_out_of_range_is_rejected_even_if_there_is_nothing_to_clear()
    {
        var ended = await RentAsync("other");
        ended.Dispose();
        using var empty = new KeyedResourcePool<string, Part>(_ => _policy, Options(maxSize: 1, perKey: 1));
        var negative = TimeSpan.FromDays(-1);

        Assert.Throws<ArgumentOutOfRangeException>("spread", () => empty.Clear(negative));
        Assert.Throws<ArgumentOutOfRangeException>("spread", () => empty.Clear("unknown", negative));
        Assert.Throws<ArgumentOutOfRangeException>("spread", () => Pool.Invalidate(ended, negative));
    }

    [Fact]
    public async Task A_suspended_pool_lets_callers_of_known_and_of_new_keys_wait()
    {
        (await RentAsync("known")).Dispose();

        Pool.Suspend();
        var known = Pool.RentAsync("known").AsTask();
        var added = Pool.RentAsync("added").AsTask();
        Assert.False(Pool.TryRent("known", out _));
        Assert.False(known.IsCompleted || added.IsCompleted);

        Pool.Resume();
        (await known.WaitAsync(Background.Limit)).Dispose();
        (await added.WaitAsync(Background.Limit)).Dispose();
        (await RentAsync("later")).Dispose();
    }

    [Fact]
    public void A_suspended_pool_without_keys_is_reported_as_suspended()
    {
        Pool.Suspend();
        Assert.True(Pool.GetStatistics().Suspended);

        Pool.Resume();
        Assert.False(Pool.GetStatistics().Suspended);
    }

    [Fact]
    public void A_disposed_pool_cannot_be_changed()
    {
        Pool.Dispose();

        Assert.Throws<ObjectDisposedException>(() => Pool.Resize(2));
        Assert.Throws<ObjectDisposedException>(() => Pool.Reconfigure(Options(1, 1)));
    }

    private KeyedResourcePoolOptions<string> Options(int maxSize, int perKey) => new()
    {
        MaxSize = maxSize,
        Pool = new ResourcePoolOptions
        {
            MaxSize = perKey,
            TimeProvider = _clock,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MaxLifetime = Timeout.InfiniteTimeSpan,
        },
    };

    private Task<Lease<Part>> RentAsync(string key) => Pool.RentAsync(key).AsTask().WaitAsync(Background.Limit);

    private async Task FillAsync(string key, int count)
    {
        await Pool.WarmUpAsync(key, count).WaitAsync(Background.Limit);
        Assert.Equal(count, Pool.GetStatistics(key)!.Idle);
    }
}
