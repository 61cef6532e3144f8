using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources.Keyed;

public sealed class KeyedPools
{
    private readonly ManualTimeProvider _clock = new();

    [Fact]
    public async Task An_item_is_only_rented_for_the_key_it_was_created_for()
    {
        await using var pool = Make(maxSize: 4, perKey: 2);

        using (var red = await pool.RentAsync("red"))
        {
            Assert.Equal("red", red.Value.Key);
        }

        using var blue = await pool.RentAsync("blue");
        using var again = await pool.RentAsync("red");
        Assert.Equal("blue", blue.Value.Key);
        Assert.Equal("red", again.Value.Key);
        Assert.Equal(2, again.Info.Uses);
        Assert.Equal(2, pool.KeyCount);
    }

    [Fact]
    public async Task Keys_are_compared_by_their_full_value()
    {
        await using var pool =
            new KeyedResourcePool<Login, Item>(login => new Maker(login.User), Options<Login>(maxSize: 8, perKey: 4));

        using (await pool.RentAsync(new Login("db", "ann", Tls: true)))
        {
        }

        using var same = await pool.RentAsync(new Login("db", "ann", Tls: true));
        using var otherUser = await pool.RentAsync(new Login("db", "bob", Tls: true));
        using var otherHost = await pool.RentAsync(new Login("db2", "ann", Tls: true));
        using var plain = await pool.RentAsync(new Login("db", "ann", Tls: false));

        Assert.Equal(2, same.Info.Uses);
        Assert.Equal([1, 1, 1], [otherUser.Info.Uses, otherHost.Info.Uses, plain.Info.Uses]);
    }

    [Fact]
    public async Task All_keys_together_stay_within_MaxSize()
    {
        await using var pool = Make(maxSize: 3, perKey: 2);
        var leases = new List<Lease<Item>> { await pool.RentAsync("a"), await pool.RentAsync("a"), await pool.RentAsync("b") };

        var waiting = pool.RentAsync("c").AsTask();
        Assert.False(waiting.IsCompleted);
        Assert.Equal(3, pool.GetStatistics().Live);

        leases[2].Dispose();
        using var c = await waiting;
        Assert.Equal("c", c.Value.Key);
        Assert.Equal(3, pool.GetStatistics().Live);
        leases.ForEach(lease => lease.Dispose());
    }

    [Fact]
    public async Task A_waiting_key_gets_the_capacity_of_another_keys_idle_item()
    {
        await using var pool = Make(maxSize: 1, perKey: 1);
        using (await pool.RentAsync("a"))
        {
        }

        using var b = await pool.RentAsync("b");

        Assert.Equal("b", b.Value.Key);
        Assert.Equal(1, pool.GetStatistics().DestroyedFor(DestroyReason.Evicted));
    }

    [Fact]
    public async Task The_longest_idle_item_is_destroyed_to_release_capacity()
    {
        await using var pool = Make(maxSize: 2, perKey: 1);
        using (await pool.RentAsync("cold"))
        {
        }

        _clock.Advance(TimeSpan.FromSeconds(5));
        using (await pool.RentAsync("warm"))
        {
        }

        using var next = await pool.RentAsync("next");

        Assert.True(pool.TryRent("warm", out var warm));
        Assert.False(pool.TryRent("cold", out _));
        warm.Dispose();
    }

    [Fact]
    public async Task A_key_above_its_fair_share_releases_capacity()
    {
        await using var pool = Make(maxSize: 4, perKey: 4);
        var greedy = new Queue<Lease<Item>>();
        for (var i = 0; i < 4; i++)
        {
            greedy.Enqueue(await pool.RentAsync("greedy"));
        }

        var backlog = Enumerable.Range(0, 20).Select(_ => pool.RentAsync("greedy").AsTask()).ToList();
        var modest = Enumerable.Range(0, 2).Select(_ => pool.RentAsync("modest").AsTask()).ToList();

        // Each return releases capacity to another key, although the key's own callers have waited longer.
        greedy.Dequeue().Dispose();
        using var first = await modest[0];
        greedy.Dequeue().Dispose();
        using var second = await modest[1];
        Assert.Equal(2, pool.GetStatistics("greedy")!.Live);
        Assert.Equal(4, pool.GetStatistics().Live);

        // From here on both hold their equal share, and returned items stay with their key.
        greedy.Dequeue().Dispose();
        using var third = await backlog[0];
        Assert.Equal("greedy", third.Value.Key);
        Assert.Equal(2, pool.GetStatistics().DestroyedFor(DestroyReason.Evicted));
        greedy.Dequeue().Dispose();
        pool.Dispose();
        await Assert.ThrowsAnyAsync<ObjectDisposedException>(() => backlog[^1]);
    }

    [Fact]
    public async Task With_more_keys_than_capacity_the_longest_waiting_key_is_served_first()
    {
        await using var pool = Make(maxSize: 1, perKey: 1);
        var a = await pool.RentAsync("a");
        var b = pool.RentAsync("b").AsTask();
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        var moreOfA = pool.RentAsync("a").AsTask();

        a.Dispose();
        (await b).Dispose();
        (await moreOfA).Dispose();

        Assert.Equal(3, pool.GetStatistics().Created);
    }

    [Fact]
    public async Task A_key_whose_creations_fail_does_not_delay_other_keys()
    {
        await using var pool = new KeyedResourcePool<string, Item>(
            key => new Maker(key) { Hangs = key.StartsWith('d') }, Options<string>(maxSize: 4, perKey: 2));
        var stuck = Enumerable.Range(0, 10).Select(_ => pool.RentAsync("dead").AsTask()).ToList();
        Background.Until(() => pool.GetStatistics("dead")!.Creating == 2);

        for (var i = 0; i < 50; i++)
        {
            using var lease = await pool.RentAsync("fine");
            using var other = await pool.RentAsync("fine");
        }

        Assert.All(stuck, task => Assert.False(task.IsCompleted));
        Assert.Equal(2, pool.GetStatistics("dead")!.Live);
    }

    [Fact]
    public async Task A_minimum_never_takes_capacity_from_another_key()
    {
        var options = Options<string>(maxSize: 2, perKey: 2);
        options.Pool.MinIdle = 2;
        await using var pool = new KeyedResourcePool<string, Item>(key => new Maker(key), options);
        using (await pool.RentAsync("a"))
        {
        }

        Background.Until(() => pool.GetStatistics().Idle == 2);
        using var b = await pool.RentAsync("b");
        for (var i = 0; i < 20; i++)
        {
            _clock.Advance(TimeSpan.FromSeconds(5));
        }

        Assert.Equal(1, pool.GetStatistics().DestroyedFor(DestroyReason.Evicted));
        Assert.Equal(1, pool.GetStatistics("a")!.Live);
    }

    [Fact]
    public async Task A_key_without_items_and_callers_is_removed()
    {
        await using var pool = Make(maxSize: 4, perKey: 2);
        using (await pool.RentAsync("a"))
        {
        }

        _clock.Advance(TimeSpan.FromMinutes(9));
        Assert.Equal(1, pool.KeyCount);

        // The item is destroyed after ten idle minutes, the key removed ten minutes after that.
        _clock.Advance(TimeSpan.FromMinutes(2));
        Background.Until(() => pool.GetStatistics().Live == 0);
        _clock.Advance(TimeSpan.FromMinutes(25));
        Assert.Equal(0, pool.KeyCount);
        Assert.Equal(1, pool.GetStatistics().Created);

        using var again = await pool.RentAsync("a");
        Assert.Equal(1, again.Info.Uses);
    }

    [Fact]
    public async Task Disposal_ends_the_waits_of_all_keys_in_the_name_of_the_pool()
    {
        var pool = Make(maxSize: 1, perKey: 1);
        var a = await pool.RentAsync("a");
        var b = pool.RentAsync("b").AsTask();
        var moreOfA = pool.RentAsync("a").AsTask();

        await pool.DisposeAsync();

        ObjectDisposedException[] ends =
        [
            await Assert.ThrowsAsync<ObjectDisposedException>(() => b),
            await Assert.ThrowsAsync<ObjectDisposedException>(() => moreOfA),
            await Assert.ThrowsAsync<ObjectDisposedException>(() => pool.RentAsync("c").AsTask()),
        ];
        Assert.All(ends, end =>
        {
            Assert.Equal(pool.Name, end.ObjectName);
            Assert.StartsWith($"Pool '{pool.Name}' was disposed", end.Message, StringComparison.Ordinal);
        });
        a.Dispose();
        Background.Until(() => pool.GetStatistics().Live == 0);
        Assert.Equal(1, pool.GetStatistics().Destroyed);
    }

    [Fact]
    public async Task Draining_ends_when_every_key_is_empty()
    {
        var pool = Make(maxSize: 4, perKey: 2);
        var a = await pool.RentAsync("a");
        using (await pool.RentAsync("b"))
        {
        }

        var drained = pool.DrainAsync();
        Assert.False(drained.IsCompleted);
        a.Dispose();
        await drained;

        Assert.Equal(0, pool.GetStatistics().Live);
    }

    [Fact]
    public void Every_invalid_setting_is_named()
    {
        var options = Options<string>(maxSize: 0, perKey: 0);
        options.Pool.MinIdle = -1;
        options.KeyIdleTimeout = TimeSpan.Zero;

        var wrong = Assert.Throws<ArgumentException>(() => new KeyedResourcePool<string, Item>(key => new Maker(key), options));

        Assert.Contains("MaxSize is 0; allowed: 1 to 1,000,000.", wrong.Message, StringComparison.Ordinal);
        Assert.Contains("Pool.MaxSize is 0;", wrong.Message, StringComparison.Ordinal);
        Assert.Contains("Pool.MinIdle is -1;", wrong.Message, StringComparison.Ordinal);
        Assert.Contains("KeyIdleTimeout is 00:00:00;", wrong.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_blocked_caller_is_served_too()
    {
        await using var pool = Make(maxSize: 1, perKey: 1);
        var a = await pool.RentAsync("a");
        string? got = null;
        var thread = new Thread(() =>
        {
            using var b = pool.Rent("b");
            got = b.Value.Key;
        });
        thread.Start();
        Background.Until(() => pool.GetStatistics().Waiting == 1);
        a.Dispose();
        thread.Join();

        Assert.Equal("b", got);
    }

    [Fact]
    public async Task The_key_is_never_turned_into_text()
    {
        await using var pool = new KeyedResourcePool<Mute, Item>(_ => new Maker("x"), Options<Mute>(maxSize: 1, perKey: 1));
        using var lease = await pool.RentAsync(new Mute());

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => pool.RentAsync(new Mute(), TimeSpan.Zero).AsTask());

        Assert.StartsWith(pool.Name + "/", timeout.PoolName, StringComparison.Ordinal);
    }

    private KeyedResourcePool<string, Item> Make(int maxSize, int perKey) =>
        new(key => new Maker(key), Options<string>(maxSize, perKey));

    private KeyedResourcePoolOptions<TKey> Options<TKey>(int maxSize, int perKey)
        where TKey : notnull => new()
        {
            MaxSize = maxSize,
            Pool = new ResourcePoolOptions { MaxSize = perKey, TimeProvider = _clock, MaxLifetime = Timeout.InfiniteTimeSpan },
        };

    private sealed record Login(string Host, string User, bool Tls);

    private sealed class Mute
    {
        public override string ToString() => throw new InvalidOperationException("ToString was called on a key.");
    }

    private sealed record Item(string Key);

    private sealed class Maker(string key) : ResourcePolicy<Item>
    {
        public bool Hangs { get; init; }

        public override async ValueTask<Item> CreateAsync(CancellationToken cancellationToken)
        {
            if (Hangs)
            {
                await new TaskCompletionSource().Task.WaitAsync(cancellationToken);
            }

            return new Item(key);
        }
    }
}
