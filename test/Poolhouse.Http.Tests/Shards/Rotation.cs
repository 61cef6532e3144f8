using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Shards;

/// <summary>Shards are replaced by age, and when addresses change; not otherwise.</summary>
public sealed class Rotation
{
    [Fact]
    public void A_shard_is_replaced_at_its_lifetime_minus_jitter()
    {
        using var rig = new ShardRig(
            8, options =>
                (options.MaxLifetime, options.LifetimeJitter, options.Random) = (TimeSpan.FromMinutes(10), 0.5, new Random(1)));
        rig.Clock.Advance(TimeSpan.FromMinutes(5) - TimeSpan.FromMilliseconds(1));
        Assert.Equal(8, rig.Made.Count);

        rig.Clock.Advance(TimeSpan.FromMinutes(2.5));
        Assert.InRange(rig.Now.RetiredForLifetime, 1, 7);
        rig.Clock.Advance(TimeSpan.FromMinutes(2.5));
        Assert.InRange(rig.Now.RetiredForLifetime, 8, 12);
    }

    [Fact]
    public void Without_jitter_all_shards_are_replaced_together()
    {
        using var rig = new ShardRig(2, options => (options.MaxLifetime, options.LifetimeJitter) = (TimeSpan.FromMinutes(10), 0));
        rig.Clock.Advance(TimeSpan.FromMinutes(9));
        Assert.Equal(0, rig.Now.RetiredForLifetime);
        rig.Clock.Advance(TimeSpan.FromMinutes(1.1));
        Assert.Equal(2, rig.Now.RetiredForLifetime);
        rig.Clock.Advance(TimeSpan.FromMinutes(10.1));

        Assert.Equal((4L, 6), (rig.Now.RetiredForLifetime, rig.Made.Count));
    }

    [Fact]
    public async Task A_pending_request_continues_when_its_shard_is_replaced()
    {
        using var rig = new ShardRig(1, options => options.MaxLifetime = TimeSpan.FromMinutes(1));
        using var held = await rig.OccupyAsync();
        rig.Clock.Advance(TimeSpan.FromMinutes(2));
        await rig.SendAsync();

        Assert.Single(rig.Made[0].Sent);
        Assert.False(rig.Made[0].IsDisposed);
        Assert.InRange(rig.Now.Shards[0].Age, TimeSpan.Zero, TimeSpan.FromMinutes(1.1));
    }

    [Fact]
    public void A_failed_shard_creation_keeps_the_old_shard_and_is_retried()
    {
        using var rig = new ShardRig(1, options => (options.MaxLifetime, options.LifetimeJitter) = (TimeSpan.FromMinutes(10), 0));
        rig.MakeFails = new InvalidOperationException("no");
        rig.Clock.Advance(TimeSpan.FromMinutes(10.5));
        Assert.Equal((1L, 0L), (rig.Now.CreateFailures, rig.Now.RetiredForLifetime));

        rig.MakeFails = null;
        rig.Clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal((1L, 1L), (rig.Now.CreateFailures, rig.Now.RetiredForLifetime));
    }

    [Fact]
    public void A_failed_replacement_after_an_address_change_is_retried_a_minute_later()
    {
        using var rig = Watching(shards: 2);
        rig.MakeFails = new InvalidOperationException("no");
        rig.MoveTo("10.0.0.1");
        rig.Clock.Advance(TimeSpan.FromSeconds(30));
        Assert.Equal((2L, 0L), (rig.Now.CreateFailures, rig.Now.RetiredForDns));

        rig.MakeFails = null;
        rig.Clock.Advance(TimeSpan.FromSeconds(59));
        Assert.Equal(2, rig.Made.Count);
        rig.Clock.Advance(TimeSpan.FromMinutes(10));
        Assert.Equal((2L, 2L, 4), (rig.Now.CreateFailures, rig.Now.RetiredForDns, rig.Made.Count));
    }

    [Fact]
    public void Changed_addresses_replace_every_shard_and_unchanged_ones_none()
    {
        using var rig = Watching(shards: 3);
        rig.MoveTo("10.0.0.1", "10.0.0.2");
        rig.Clock.Advance(TimeSpan.FromSeconds(30));
        Assert.Equal((3L, 6), (rig.Now.RetiredForDns, rig.Made.Count));

        rig.MoveTo("10.0.0.2", "10.0.0.1");
        rig.Clock.Advance(TimeSpan.FromMinutes(10));
        Assert.Equal((3L, 22), (rig.Now.RetiredForDns, rig.Resolved));
        rig.MoveTo("10.0.0.2");
        rig.Clock.Advance(TimeSpan.FromSeconds(30));
        Assert.Equal(6, rig.Now.RetiredForDns);
    }

    [Fact]
    public void Failed_or_empty_lookups_change_nothing()
    {
        using var rig = Watching(shards: 2);
        rig.ResolveFails = new System.Net.Sockets.SocketException();
        rig.Clock.Advance(TimeSpan.FromSeconds(30));
        rig.ResolveFails = null;
        rig.MoveTo();
        rig.Clock.Advance(TimeSpan.FromSeconds(30));
        rig.MoveTo("127.0.0.1");
        rig.Clock.Advance(TimeSpan.FromSeconds(30));

        Assert.Equal((0L, 2L, 4), (rig.Now.RetiredForDns, rig.Now.ResolveFailures, rig.Resolved));
    }

    [Fact]
    public async Task A_lookup_that_hangs_is_abandoned_and_repeated()
    {
        var hangs = new TaskCompletionSource<IReadOnlyCollection<System.Net.IPAddress>>();
        var asked = 0;
        using var rig = Watching(shards: 1, options => options.Resolve = (_, _) =>
        {
            asked++;
            return new ValueTask<IReadOnlyCollection<System.Net.IPAddress>>(hangs.Task);
        });
        rig.Clock.Advance(TimeSpan.FromSeconds(30));
        await Patience.UntilAsync(() => rig.Now.ResolveFailures == 1, "the look-up to be given up");
        await Patience.UntilAsync(
            () =>
            {
                rig.Clock.Advance(TimeSpan.FromSeconds(1));
                return asked == 2;
            },
            "the next look-up");
    }

    [Theory]
    [InlineData("has none")]
    [InlineData("fails")]
    [InlineData("blocks")]
    public async Task A_lookup_that_is_abandoned_is_cancelled_whatever_its_callback_does(string callback)
    {
        using var blocked = new ManualResetEventSlim();
        var hangs = new TaskCompletionSource<IReadOnlyCollection<System.Net.IPAddress>>();
        var given = new List<CancellationToken>();
        using var rig = Watching(shards: 1, options => options.Resolve = (_, token) =>
        {
            given.Add(token);
            switch (callback)
            {
                case "fails":
                    token.Register(static () => throw new InvalidOperationException("no"));
                    break;
                case "blocks":
                    token.Register(blocked.Wait);
                    break;
                default:
                    break;
            }

            return new ValueTask<IReadOnlyCollection<System.Net.IPAddress>>(hangs.Task);
        });
        rig.Clock.Advance(TimeSpan.FromSeconds(30));
        await Patience.UntilAsync(() => rig.Now.ResolveFailures == 1, "the look-up to be given up");

        Assert.True(given[0].IsCancellationRequested);
        await Patience.UntilAsync(
            () =>
            {
                rig.Clock.Advance(TimeSpan.FromSeconds(1));
                return given.Count == 2;
            },
            "the next look-up");
        blocked.Set();
    }

    [Fact]
    public async Task A_creation_that_blocks_delays_neither_the_other_shards_nor_the_lookups()
    {
        using var blocked = new ManualResetEventSlim();
        var creations = 0;
        using var rig = Watching(shards: 3, options =>
        {
            (options.MaxLifetime, options.LifetimeJitter) = (TimeSpan.FromMinutes(10), 0);
            var create = options.CreateHandler!;
            options.CreateHandler = () =>
            {
                // The first that is created in the background.
                if (Interlocked.Increment(ref creations) == 4)
                {
                    blocked.Wait(Patience.Limit);
                }

                return create();
            };
        });
        var advancing = Task.Run(() => rig.Clock.Advance(TimeSpan.FromMinutes(10)));
        await Patience.UntilAsync(() => Volatile.Read(ref creations) == 4, "the creation to block");
        Assert.Equal((0L, 20), (rig.Now.RetiredForLifetime, rig.Resolved));

        rig.Clock.Advance(TimeSpan.Zero);
        Assert.Equal((2L, 21), (rig.Now.RetiredForLifetime, rig.Resolved));
        rig.Clock.Advance(TimeSpan.FromSeconds(30));
        Assert.Equal(22, rig.Resolved);

        blocked.Set();
        await Patience.WithinAsync(advancing);
        Assert.Equal(3, rig.Now.RetiredForLifetime);
    }

    [Fact]
    public void A_disposal_during_a_lookup_ends_it_before_the_next_host()
    {
        var hosts = new List<string>();
        ShardedHandler? disposed = null;
        using var rig = Watching(shards: 1, options =>
        {
            options.WatchedHosts = ["one", "two"];
            options.Resolve = (host, _) =>
            {
                hosts.Add(host);
                disposed?.Dispose();
                return new ValueTask<IReadOnlyCollection<System.Net.IPAddress>>([System.Net.IPAddress.Loopback]);
            };
        });
        Assert.Equal(["one", "two"], hosts);

        disposed = rig.Handler;
        rig.Clock.Advance(TimeSpan.FromSeconds(30));

        Assert.Equal(["one", "two", "one"], hosts);
    }

    [Fact]
    public void Without_lifetime_and_hosts_nothing_is_looked_up_or_replaced()
    {
        using var rig = new ShardRig(2);
        rig.Clock.Advance(TimeSpan.FromDays(10));

        Assert.Equal((2, 0, 0), (rig.Made.Count, rig.Resolved, rig.Clock.ArmedTimers));
    }

    [Fact]
    public void A_disposed_handler_does_no_lookups_and_creates_no_shards()
    {
        var rig = Watching(shards: 1, options => options.MaxLifetime = TimeSpan.FromMinutes(1));
        rig.Dispose();
        rig.Clock.Advance(TimeSpan.FromHours(1));

        Assert.Equal((1, 1, 0), (rig.Made.Count, rig.Resolved, rig.Clock.ArmedTimers));
    }

    private static ShardRig Watching(int shards, Action<ShardedHandlerOptions>? configure = null) => new(shards, options =>
    {
        options.WatchedHosts = ["server"];
        configure?.Invoke(options);
    });
}
