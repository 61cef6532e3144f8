
namespace Poolhouse.Tests.Resources.Shared;

/// <summary>When a shared pool creates, replaces and destroys items, without ending their uses.</summary>
public sealed class SharedItems
{
    private static readonly TimeSpan _lifetime = TimeSpan.FromMinutes(10);

    [Fact]
    public async Task Another_item_is_created_only_when_the_first_is_full()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 4) { Options = { GrowAtLoad = 0.5 } };

        var first = await bench.RentAsync();
        Assert.Equal(1, bench.Items.Created);
        await bench.RentAsync();

        Background.Until(() => bench.Pool.GetUses().Count == 2);
        Assert.NotSame(first.Value, (await bench.RentAsync()).Value);
    }

    [Fact]
    public async Task Concurrent_callers_cause_one_creation()
    {
        using var bench = new SharedBench(maxSize: 5, maxUses: 10);
        var creating = new Gate<Part>();
        bench.Policy.Creates = creating.WaitAsync;
        var callers = Enumerable.Range(0, 8).Select(_ => bench.RequestAsync()).ToList();
        Background.Until(() => creating.Waiting > 0 && bench.Pool.GetStatistics().Waiting == 8);

        creating.Release(bench.Policy.New());

        var leases = await Task.WhenAll(callers).WaitAsync(Background.Limit);
        Assert.All(leases, lease => Assert.Equal(1, lease.Value.Number));
        Assert.Equal(1, creating.Calls);
    }

    [Fact]
    public async Task The_number_of_items_never_exceeds_the_bound()
    {
        using var bench = new SharedBench(maxSize: 3, maxUses: 2);

        await bench.RentAsync(6);
        var waiting = bench.RequestAsync();

        Assert.Equal([2, 2, 2], bench.Pool.GetUses());
        Assert.Equal(3, bench.Items.Live);
        Assert.False(waiting.IsCompleted);
    }

    [Fact]
    public async Task A_failed_creation_reaches_its_callers_and_the_next_caller_retries()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);
        bench.Options.Pool.OutageTimeout = TimeSpan.Zero;
        bench.Policy.Creates = _ => throw new IOException("no route");

        await Refused.WithAsync<IOException>(bench.RentAsync);
        bench.Policy.Creates = null;
        bench.Clock.Advance(TimeSpan.FromMinutes(1));

        using var lease = await bench.RentAsync();
        Assert.Equal((1, 1), (lease.Value.Number, bench.Pool.GetStatistics().Leased));
    }

    [Fact]
    public async Task A_creation_that_fails_with_its_own_TimeoutException_is_reported_unchanged()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);
        bench.Options.Pool.OutageTimeout = TimeSpan.Zero;
        var failure = new TimeoutException("the server did not answer");
        bench.Policy.Creates = _ => throw failure;

        Assert.Same(failure, await Refused.WithAsync<TimeoutException>(bench.RentAsync));
        Assert.Equal(0, bench.Pool.GetStatistics().Leased);
    }

    [Fact]
    public async Task A_caller_gets_its_timeout_although_no_item_can_be_created()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);
        bench.Options.Pool.RentTimeout = TimeSpan.FromSeconds(10);
        var creating = new Gate<Part>();
        bench.Policy.Creates = creating.WaitAsync;
        var waiting = bench.RequestAsync();
        Background.Until(() => creating.Waiting == 1 && bench.Pool.GetStatistics().Waiting == 1);

        bench.AdvanceUntil(() => waiting.IsCompleted, TimeSpan.FromSeconds(1), steps: 31);

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting.WaitAsync(Background.Limit));
        Assert.Equal("clients", timeout.PoolName);
        Assert.StartsWith("Pool 'clients': no item within 10 s (MaxSize 1: ", timeout.Message, StringComparison.Ordinal);
        Assert.Equal(0, bench.Pool.GetStatistics().Leased);
    }

    [Fact]
    public async Task A_discarded_item_is_replaced_while_its_other_uses_continue()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 4);
        var (mine, others) = (await bench.RentAsync(), await bench.RentAsync());
        var broken = mine.Value;

        mine.Discard();

        Assert.Same(broken, others.Value);
        Assert.NotSame(broken, (await bench.RentAsync()).Value);
        Assert.Empty(bench.Policy.Destroyed);
        others.Dispose();
        Assert.Equal([(broken, DestroyReason.Discarded)], bench.Destroyed(1));
    }

    [Fact]
    public async Task A_broken_item_gets_no_new_uses()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 4);
        bench.Policy.IsBrokenHook = part => part.IsBroken;
        using var use = await bench.RentAsync();
        use.Value.IsBroken = true;

        Assert.Equal(2, (await bench.RentAsync()).Value.Number);
        Assert.True(use.IsActive);
    }

    [Fact]
    public async Task A_tainted_use_triggers_a_probe_and_a_failing_item_is_replaced()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 4);
        var sick = new HashSet<int> { 1 };
        bench.Policy.KeepsAlive = (part, _) => sick.Contains(part.Number) ? throw new IOException("gone") : default;
        var lease = await bench.RentAsync();

        lease.Taint();
        lease.Dispose();

        Assert.Equal(1, bench.Destroyed(1)[0].Part.Number);
        Assert.Equal(2, (await bench.RentAsync()).Value.Number);
    }

    [Fact]
    public async Task A_tainted_use_of_a_healthy_item_does_not_affect_other_uses()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 4);
        var probed = new TaskCompletionSource();
        bench.Policy.KeepsAlive = (_, _) =>
        {
            probed.SetResult();
            return default;
        };
        var lease = await bench.RentAsync();

        lease.Taint();
        lease.Dispose();

        await probed.Task.WaitAsync(Background.Limit);
        Assert.Equal(1, (await bench.RentAsync()).Value.Number);
    }

    [Fact]
    public async Task Items_in_use_are_probed_periodically()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 4);
        bench.Options.Pool.KeepAliveInterval = TimeSpan.FromSeconds(40);
        var probes = 0;
        bench.Policy.KeepsAlive = (_, _) =>
        {
            Interlocked.Increment(ref probes);
            return default;
        };
        using var lease = await bench.RentAsync();

        bench.Clock.Advance(TimeSpan.FromSeconds(39));
        Assert.Equal(0, Volatile.Read(ref probes));
        bench.Clock.Advance(TimeSpan.FromSeconds(1));

        Background.Until(() => Volatile.Read(ref probes) == 1);
    }

    [Fact]
    public async Task A_warm_up_that_a_disposal_ends_names_the_pool()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 1);
        var opened = new TaskCompletionSource<Part>();
        bench.Policy.Creates = token => new ValueTask<Part>(opened.Task.WaitAsync(token));
        var warm = bench.Pool.WarmUpAsync(2);

        bench.Pool.Dispose();

        var closed = await Assert.ThrowsAsync<ObjectDisposedException>(() => warm.WaitAsync(Background.Limit));
        Assert.Equal("clients", closed.ObjectName);
    }

    [Fact]
    public async Task A_warm_up_of_a_closed_pool_names_the_pool()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 4);
        bench.Pool.Dispose();

        var closed = await Assert.ThrowsAsync<ObjectDisposedException>(() => bench.Pool.WarmUpAsync(1));
        Assert.Equal(bench.Pool.Name, closed.ObjectName);
    }

    [Fact]
    public async Task An_expired_item_serves_until_its_replacement_exists()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 4) { Options = { MaxActive = 1 } };
        bench.Options.Pool.MaxLifetime = _lifetime;
        using var use = await bench.RentAsync();
        var creating = new Gate<Part>();
        bench.Policy.Creates = creating.WaitAsync;

        bench.Clock.Advance(_lifetime);
        Assert.Equal(1, (await bench.RentAsync()).Value.Number);
        Background.Until(() => creating.Waiting == 1);
        creating.Release(bench.Policy.New());

        Background.Until(() => bench.Pool.GetUses() is [0]);
        Assert.Equal(2, (await bench.RentAsync()).Value.Number);
        Assert.Equal(1, use.Value.Number);
    }

    [Fact]
    public async Task An_expired_item_is_destroyed_when_its_last_use_ends()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 4);
        bench.Options.Pool.MaxLifetime = _lifetime;
        var leases = await bench.RentAsync(2);
        bench.Clock.Advance(_lifetime);
        Background.Until(() => bench.Pool.GetUses() is [0]);

        leases[0].Dispose();
        Assert.Empty(bench.Policy.Destroyed);
        leases[1].Dispose();

        Assert.Equal((1, DestroyReason.Lifetime), (bench.Destroyed(1)[0].Part.Number, bench.Policy.Destroyed[0].Reason));
    }

    [Fact]
    public async Task After_a_clear_no_old_item_gets_a_use()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 4);
        using var use = await bench.RentAsync();

        bench.Pool.Clear();

        Assert.Equal(2, (await bench.RentAsync()).Value.Number);
        use.Dispose();
        Assert.Equal((1, DestroyReason.Cleared), (bench.Destroyed(1)[0].Part.Number, bench.Policy.Destroyed[0].Reason));
    }

    [Fact]
    public async Task Each_item_is_destroyed_with_its_own_reason()
    {
        using var bench = new SharedBench(maxSize: 3, maxUses: 1)
        {
            Policy = { IsBrokenHook = part => part.Number == 1, KeepsAlive = (_, _) => throw new IOException("gone") },
        };
        var second = await bench.RentAsync();
        Assert.Equal(DestroyReason.Broken, bench.Destroyed(1)[0].Reason);

        second.Taint();
        second.Dispose();

        Assert.Equal(DestroyReason.KeepAliveFailed, bench.Destroyed(2)[1].Reason);
        Assert.Equal(
            (1, 1), (bench.Items.DestroyedFor(DestroyReason.Broken), bench.Items.DestroyedFor(DestroyReason.KeepAliveFailed)));
    }

    [Fact]
    public async Task A_detached_item_belongs_to_the_caller()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);
        var (mine, others) = (await bench.RentAsync(), await bench.RentAsync());

        var part = mine.Detach();

        Assert.Same(part, others.Value);
        Assert.Equal(2, (await bench.RentAsync()).Value.Number);
        others.Dispose();
        Assert.Empty(bench.Policy.Destroyed);
        Assert.Equal(1, bench.Items.Detached);
    }

    [Fact]
    public async Task The_other_leases_of_a_detached_item_still_have_their_Info()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);
        var (mine, others) = (await bench.RentAsync(), await bench.RentAsync());

        mine.Detach();
        bench.Clock.Advance(TimeSpan.FromSeconds(3));

        Assert.Equal(new LeaseInfo(1, TimeSpan.FromSeconds(3), TimeSpan.Zero, ItemNumber: 1), others.Info);
        others.Dispose();
        Assert.Throws<ObjectDisposedException>(() => others.Info);
    }

    [Fact]
    public async Task Draining_waits_for_the_uses_and_destroys_everything()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 1);
        var leases = await bench.RentAsync(2);

        var drained = bench.Pool.DrainAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(bench.RentAsync);
        Assert.False(drained.IsCompleted);
        leases.ForEach(lease => lease.Dispose());

        await drained.WaitAsync(Background.Limit);
        Assert.Equal(2, bench.Policy.Destroyed.Count);
    }

    [Fact]
    public async Task Draining_continues_when_the_wait_for_it_is_cancelled()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 1);
        using var giveUp = new CancellationTokenSource();
        var lease = await bench.RentAsync();

        var drained = bench.Pool.DrainAsync(giveUp.Token);
        await giveUp.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => drained);
        lease.Dispose();

        Assert.Single(bench.Destroyed(1));
    }

    [Fact]
    public async Task Leases_outlive_the_disposal_and_each_item_is_destroyed_once()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 2);
        var leases = await bench.RentAsync(4);

        bench.Pool.Dispose();
        Assert.All(leases, lease => Assert.True(lease.IsActive));
        leases.ForEach(lease => lease.Dispose());

        Assert.Equal([1, 2], bench.Destroyed(2).Select(each => each.Part.Number).Order());
        await Assert.ThrowsAsync<ObjectDisposedException>(bench.RentAsync);
    }

    [Fact]
    public async Task Disposal_ends_the_wait_for_the_first_item()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);
        var creating = new Gate<Part>();
        bench.Policy.Creates = creating.WaitAsync;
        var waiting = bench.RequestAsync();
        Background.Until(() => creating.Waiting == 1);

        bench.Pool.Dispose();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting.WaitAsync(Background.Limit));
    }

    [Fact]
    public void Every_invalid_setting_is_named_at_once()
    {
        var options = new SharedResourcePoolOptions
        {
            Pool = new ResourcePoolOptions { MaxSize = 4, MinIdle = 3 },
            MaxUsesPerItem = 500_000,
            MaxActive = 2,
            GrowAtLoad = 0,
            Selection = (SelectionStrategy)9,
        };

        var error = Assert.Throws<ArgumentException>(() => new SharedResourcePool<Part>(new ScriptedPolicy(), options));

        Assert.All(
            ["MaxUsesPerItem is 500000; allowed: 1 to 250,000.", "Pool.MinIdle is 3; allowed: 0 to MaxActive (2).",
                "GrowAtLoad is 0;", "Selection is 9;"],
            part => Assert.Contains(part, error.Message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(0, 1, null, "Pool.MaxSize is 0; allowed: 1 to 1,000,000.")]
    [InlineData(2_000_000, 1, 3, "Pool.MaxSize is 2000000; allowed: 1 to 1,000,000.")]
    [InlineData(4, 5, null, "Pool.MinIdle is 5; allowed: 0 to MaxSize (4).")]
    [InlineData(4, 5, 3, "Pool.MinIdle is 5; allowed: 0 to MaxSize (4).")]
    [InlineData(4, 2, 1, "Pool.MinIdle is 2; allowed: 0 to MaxActive (1).")]
    [InlineData(4, 2, 0, "MaxActive is 0; allowed: null, or 1 to Pool.MaxSize (4).")]
    public void One_mistake_is_one_error_that_names_the_setting_that_is_wrong(
        int maxSize, int minIdle, int? maxActive, string expected)
    {
        var error = Assert.Throws<ArgumentException>("options", () => new SharedResourcePool<Part>(
            new ScriptedPolicy(),
            new SharedResourcePoolOptions
            {
                Pool = new ResourcePoolOptions { MaxSize = maxSize, MinIdle = minIdle },
                MaxActive = maxActive,
            }));

        Assert.Equal($"Invalid pool options. {expected} (Parameter 'options')", error.Message);
    }

    [Fact]
    public async Task An_item_that_cannot_be_made_active_for_lack_of_memory_is_not_lost()
    {
        var clock = new ScarceClock();
        var policy = new ScriptedPolicy();
        var pool = new SharedResourcePool<Part>(policy, new SharedResourcePoolOptions
        {
            Pool = new ResourcePoolOptions { MaxSize = 1, TimeProvider = clock },
            MaxUsesPerItem = 2,
        });

        using (var lease = await pool.RentAsync().AsTask().WaitAsync(Background.Limit))
        {
            Assert.Equal((1, 1), (clock.Failures, lease.Value.Number));
        }

        await pool.DisposeAsync().AsTask().WaitAsync(Background.Limit);
        Assert.Single(policy.Destroyed);
    }

    /// <summary>Memory is short once: when the set has been given an item, and needs an object for it.</summary>
    private sealed class ScarceClock : TimeProvider
    {
        public int Failures { get; private set; }

        public override long GetTimestamp()
        {
            var stack = Environment.StackTrace;
            if (Failures == 0 && stack.Contains("SharedItemSet`1.Activate", StringComparison.Ordinal))
            {
                Failures++;
                throw new InsufficientMemoryException("There is no memory for another object.");
            }

            return base.GetTimestamp();
        }
    }
}
