namespace Poolhouse.Tests.Resources;

/// <summary>Operations that change a shared pool while its items are in use.</summary>
public sealed class SharedOperations
{
    [Fact]
    public async Task A_smaller_pool_stops_new_uses_of_surplus_items_and_keeps_those_in_progress()
    {
        using var bench = new SharedBench(maxSize: 3, maxUses: 2);
        var leases = await bench.RentAsync(6);

        bench.Pool.Resize(1);

        Assert.Single(bench.Pool.GetUses());
        Assert.All(leases, lease => Assert.True(lease.IsActive));
        Assert.Equal((1, 2), (bench.Items.MaxSize, bench.Pool.GetStatistics().MaxLeased));
        leases.ForEach(lease => lease.Dispose());
        Assert.Equal(2, bench.Destroyed(2).Count);
        Background.Until(() => bench.Items.Live == 1);
        using var next = await bench.RentAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_hook_called_for_a_surplus_item_may_wait_for_another_change(bool resets)
    {
        using var bench = new SharedBench(maxSize: 3, maxUses: 1);
        var (shrinks, changed) = (false, new List<bool>());
        bench.Policy.IsBrokenHook = _ => !resets && Check();
        if (resets)
        {
            bench.Policy.Resets = static (_, _) => new ValueTask<bool>(true);
            bench.Policy.NeedsResetHook = _ => Check();
        }

        (await bench.RentAsync(3)).ForEach(lease => lease.Dispose());

        shrinks = true;
        bench.Pool.Resize(1);

        Assert.Equal([true], changed);
        Assert.Equal(DestroyReason.Surplus, bench.Destroyed(1)[0].Reason);
        Background.Until(() => bench.Items.Live == 2);
        Assert.Equal((2, 1), (bench.Items.MaxSize, bench.Pool.GetUses().Count));

        bool Check()
        {
            if (shrinks && changed.Count == 0)
            {
                changed.Add(Background.CanDo(() => bench.Pool.Resize(2)));
            }

            return false;
        }
    }

    [Fact]
    public async Task A_larger_pool_serves_waiting_callers()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 1);
        using var first = await bench.RentAsync();
        var waiting = bench.RequestAsync();
        Assert.False(waiting.IsCompleted);

        bench.Pool.Resize(2);

        using var second = await waiting.WaitAsync(Background.Limit);
        Assert.NotSame(first.Value, second.Value);
    }

    [Fact]
    public async Task An_item_whose_creation_ends_after_the_pool_was_made_smaller_takes_no_uses()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 1);
        var creating = new Gate<Part>();
        var creations = 0;
        bench.Policy.Creates = token => Interlocked.Increment(ref creations) == 1
            ? new ValueTask<Part>(bench.Policy.New())
            : creating.WaitAsync(token);
        using var first = await bench.RentAsync();
        var waiting = bench.RequestAsync();
        Background.Until(() => creating.Waiting == 1);

        bench.Pool.Resize(1);
        creating.Release(bench.Policy.New());

        Background.Until(() => bench.Items.Live == 1);
        Assert.Single(bench.Pool.GetUses());
        var item = first.Value;
        first.Dispose();
        Assert.Same(item, (await waiting.WaitAsync(Background.Limit)).Value);
    }

    [Fact]
    public async Task New_limits_of_uses_and_of_time_are_in_force_at_once()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 1);
        using var first = await bench.RentAsync();
        bench.Options.MaxUsesPerItem = 2;
        bench.Options.Pool.RentTimeout = TimeSpan.FromSeconds(3);

        bench.Pool.Reconfigure(bench.Options);

        using var second = await bench.RentAsync();
        Assert.Same(first.Value, second.Value);
        var third = bench.RequestAsync();
        bench.Clock.Advance(TimeSpan.FromSeconds(4));
        await Assert.ThrowsAsync<PoolTimeoutException>(() => third.WaitAsync(Background.Limit));
    }

    [Fact]
    public void A_new_minimum_is_created_and_a_new_idle_time_ends_the_others()
    {
        using var bench = new SharedBench(maxSize: 3, maxUses: 1);
        bench.Options.Pool.MinIdle = 3;
        bench.Pool.Reconfigure(bench.Options);
        Background.Until(() => bench.Pool.GetUses().Count == 3);

        bench.Options.Pool.MinIdle = 1;
        bench.Options.Pool.IdleTimeout = TimeSpan.FromSeconds(8);
        bench.Pool.Reconfigure(bench.Options);

        bench.AdvanceUntil(() => bench.Pool.GetUses().Count == 1, TimeSpan.FromSeconds(3), steps: 6);
        bench.AdvanceUntil(() => bench.Items.Live == 1, TimeSpan.FromSeconds(3), steps: 6);
    }

    [Fact]
    public async Task A_shorter_idle_time_of_a_larger_pool_is_in_force_at_once()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 1);
        bench.Options.Pool.IdleTimeout = TimeSpan.FromHours(1);
        (await bench.RentAsync()).Dispose();

        (bench.Options.Pool.MaxSize, bench.Options.Pool.IdleTimeout) = (2, TimeSpan.FromMinutes(1));
        bench.Pool.Reconfigure(bench.Options);
        bench.Clock.Advance(TimeSpan.FromMinutes(1));

        Assert.Equal(DestroyReason.Idle, Assert.Single(bench.Destroyed(1)).Reason);
    }

    [Fact]
    public void Everything_that_is_wrong_is_named_at_once_and_nothing_changes()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 3);
        _ = bench.Pool;
        bench.Options.MaxUsesPerItem = 0;
        bench.Options.MaxActive = 5;
        bench.Options.Pool.Name = "other";
        bench.Options.Pool.IdleOrder = IdleOrder.Fifo;

        var error = Assert.Throws<ArgumentException>(() => bench.Pool.Reconfigure(bench.Options));

        foreach (var part in new[]
        {
            "MaxUsesPerItem is 0",
            "MaxActive is 5",
            "Pool.Name is \"other\"; allowed: \"clients\"",
            "Pool.IdleOrder is Fifo",
        })
        {
            Assert.Contains(part, error.Message, StringComparison.Ordinal);
        }

        Assert.Equal(6, bench.Pool.GetStatistics().MaxLeased);
    }

    [Fact]
    public async Task Callers_of_a_suspended_pool_wait_until_it_is_resumed()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 4);
        using var first = await bench.RentAsync();

        bench.Pool.Suspend();
        var waiting = bench.RequestAsync();
        Assert.False(bench.Pool.TryRent(out _));
        Assert.False(waiting.IsCompleted);

        bench.Pool.Resume();
        Assert.Same(first.Value, (await waiting.WaitAsync(Background.Limit)).Value);
    }

    [Fact]
    public async Task A_clear_with_a_spread_replaces_every_item_within_it_without_help_from_callers()
    {
        using var bench = new SharedBench(maxSize: 3, maxUses: 1);
        (await bench.RentAsync(3)).ForEach(lease => lease.Dispose());

        bench.Pool.Clear(TimeSpan.FromSeconds(40));
        Assert.NotEmpty(bench.Pool.GetUses());

        bench.AdvanceUntil(() => bench.Policy.Destroyed.Count == 3, TimeSpan.FromSeconds(10), steps: 6);
        Assert.All(bench.Destroyed(3), each => Assert.Equal(DestroyReason.Cleared, each.Reason));
    }

    [Fact]
    public async Task A_fatal_error_replaces_the_item_and_all_others_and_uses_in_progress_continue()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 2);
        var leases = await bench.RentAsync(4);

        bench.Pool.Invalidate(leases[0]);

        Assert.Empty(bench.Pool.GetUses());
        Assert.All(leases, lease => Assert.True(lease.IsActive));
        leases.ForEach(lease => lease.Dispose());
        Assert.Equal([DestroyReason.Cleared, DestroyReason.Tainted], bench.Destroyed(2).Select(each => each.Reason).Order());
        Assert.Equal(3, (await bench.RentAsync()).Value.Number);
    }

    [Fact]
    public async Task A_second_report_of_the_same_error_spares_what_was_created_since()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 1);
        var leases = await bench.RentAsync(2);
        bench.Pool.Invalidate(leases[0]);
        leases[0].Dispose();
        bench.Destroyed(1);
        using var young = await bench.RentAsync();

        bench.Pool.Invalidate(leases[1]);

        Assert.Equal([1], bench.Pool.GetUses());
        leases[1].Dispose();
    }

    [Fact]
    public async Task Items_that_stay_for_a_while_after_a_fatal_error_are_probed()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 1);
        var probed = new TaskCompletionSource<Part>(TaskCreationOptions.RunContinuationsAsynchronously);
        bench.Policy.KeepsAlive = (part, _) =>
        {
            probed.TrySetResult(part);
            return default;
        };
        var leases = await bench.RentAsync(2);

        bench.Pool.Invalidate(leases[0], TimeSpan.FromHours(1));

        Assert.Same(leases[1].Value, await probed.Task.WaitAsync(Background.Limit));
        leases.ForEach(lease => lease.Dispose());
    }

    [Fact]
    public async Task A_lease_of_another_pool_is_rejected()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 1);
        using var other = new SharedBench(maxSize: 1, maxUses: 1);
        using var lease = await other.RentAsync();

        Assert.Throws<ArgumentException>(() => bench.Pool.Invalidate(lease));
    }
}
