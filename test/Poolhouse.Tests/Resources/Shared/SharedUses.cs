
using Poolhouse.TestSupport;

namespace Poolhouse.Tests.Resources.Shared;

/// <summary>Many callers use one item at the same time.</summary>
public sealed class SharedUses
{
    [Fact]
    public async Task Callers_share_an_item_up_to_its_limit()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 3);

        var leases = await bench.RentAsync(3);
        var waiting = bench.RequestAsync();

        Assert.All(leases, lease => Assert.Same(bench.Policy.Created[0], lease.Value));
        Assert.False(waiting.IsCompleted);
        Assert.Equal([3], bench.Pool.GetUses());
        leases[1].Dispose();
        Assert.Same(bench.Policy.Created[0], (await waiting.WaitAsync(Background.Limit)).Value);
    }

    [Theory]
    [InlineData(2, "MaxActive")]
    [InlineData(null, "MaxSize")]
    public async Task A_caller_that_gets_no_use_is_told_which_settings_limit_them(int? maxActive, string items)
    {
        using var bench = new SharedBench(maxSize: maxActive is null ? 2 : 3, maxUses: 2);
        (bench.Options.MaxActive, bench.Options.Pool.MaxWaiters) = (maxActive, 0);
        var leases = await bench.RentAsync(4);

        var rejection = await Assert.ThrowsAsync<PoolOverloadedException>(bench.RentAsync);
        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => bench.Pool.RentAsync(TimeSpan.Zero).AsTask());

        Assert.Contains($"({items} x MaxUsesPerItem 4: 4 leased, ", rejection.Message, StringComparison.Ordinal);
        Assert.EndsWith($"or raise {items}, MaxUsesPerItem or MaxWaiters.", rejection.Message, StringComparison.Ordinal);
        Assert.Contains($"({items} x MaxUsesPerItem 4: 4 leased, ", timeout.Message, StringComparison.Ordinal);
        Assert.Contains($"raise {items} or MaxUsesPerItem, or set", timeout.Message, StringComparison.Ordinal);
        leases.ForEach(lease => lease.Dispose());
    }

    [Fact]
    public async Task The_settings_that_limit_uses_are_those_after_a_change()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 1);
        using var lease = await bench.RentAsync();
        bench.Pool.Reconfigure(new SharedResourcePoolOptions
        {
            Pool = bench.Options.Pool,
            MaxUsesPerItem = 1,
            MaxActive = 1,
            GrowAtLoad = 1,
        });

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => bench.Pool.RentAsync(TimeSpan.Zero).AsTask());

        Assert.Contains("(MaxActive x MaxUsesPerItem 1: 1 leased, ", timeout.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_outage_names_the_pool_that_the_app_created()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 1);
        bench.Options.Pool.OutageTimeout = TimeSpan.Zero;
        bench.Policy.Creates = static _ => throw new HttpRequestException("down");
        await Refused.WithAsync<HttpRequestException>(bench.RentAsync);

        var outage = await Assert.ThrowsAsync<PoolUnavailableException>(bench.RentAsync);

        Assert.Equal("clients", outage.PoolName);
        Assert.StartsWith("Pool 'clients': no item within", outage.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Waiters_are_served_in_the_order_of_arrival()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 1);
        var lease = await bench.RentAsync();
        var waiting = Enumerable.Range(0, 3).Select(_ => bench.RequestAsync()).ToList();

        foreach (var next in waiting)
        {
            Assert.False(next.IsCompleted);
            lease.Dispose();
            lease = await next.WaitAsync(Background.Limit);
        }

        Assert.Equal((1, 1), (bench.Pool.GetStatistics().Leased, bench.Items.Created));
    }

    [Fact]
    public async Task A_use_ends_once_through_any_copy()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);
        var leases = await bench.RentAsync(2);
        var copy = leases[0];

        leases[0].Dispose();
        copy.Dispose();

        Assert.Equal([1], bench.Pool.GetUses());
        Assert.Equal((1, 1), (bench.Pool.GetStatistics().Leased, bench.Pool.GetStatistics().DoubleReturns));
        Assert.False(copy.IsActive);
        Assert.Throws<ObjectDisposedException>(() => copy.Value);
        Assert.True(leases[1].IsActive);
    }

    [Fact]
    public async Task A_late_return_does_not_end_the_use_of_another()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 1);
        var stale = await bench.RentAsync();
        stale.Dispose();
        var lease = await bench.RentAsync();

        stale.Dispose();
        stale.Discard();
        stale.Taint();

        Assert.True(lease.IsActive);
        Assert.Equal([1], bench.Pool.GetUses());
    }

    [Fact]
    public async Task A_caller_that_times_out_holds_no_use()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 1);
        var lease = await bench.RentAsync();
        var waiting = bench.RequestAsync();

        bench.Clock.Advance(TimeSpan.FromSeconds(30));

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting.WaitAsync(Background.Limit));
        Assert.Equal("clients", timeout.PoolName);
        lease.Dispose();
        Assert.Equal([0], bench.Pool.GetUses());
        (await bench.RentAsync()).Dispose();
    }

    [Fact]
    public async Task A_cancelled_caller_holds_no_use()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 1);
        using var cancellation = new CancellationTokenSource();
        var lease = await bench.RentAsync();
        var waiting = bench.Pool.RentAsync(cancellation.Token).AsTask();

        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.WaitAsync(Background.Limit));
        lease.Dispose();
        Assert.Equal([0], bench.Pool.GetUses());
    }

    [Fact]
    public async Task Synchronous_callers_wait_in_the_same_queue()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 1);
        var lease = await bench.RentAsync();
        var blocked = Background.Start(() => bench.Pool.Rent());
        Background.Until(() => bench.Pool.GetStatistics().Waiting == 1);

        lease.Dispose();

        using var given = await blocked.WaitAsync(Background.Limit);
        Assert.Same(bench.Policy.Created[0], given.Value);
    }

    [Fact]
    public void A_synchronous_caller_causes_the_first_creation()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);

        using var lease = bench.Pool.Rent();

        Assert.Equal(1, lease.Value.Number);
    }

    [Fact]
    public async Task TryRent_takes_only_existing_items()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 1);

        Assert.False(bench.Pool.TryRent(out var none));
        Assert.False(none.IsActive);
        Background.Until(() => bench.Pool.GetUses().Count == 1);
        Assert.True(bench.Pool.TryRent(out var lease));
        Assert.False(bench.Pool.TryRent(out _));
        lease.Dispose();
        (await bench.RentAsync()).Dispose();
        Assert.Equal((2, 2), (bench.Pool.GetStatistics().Rented, bench.Pool.GetStatistics().Returned));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Callers_that_do_not_wait_get_all_uses_of_an_item(bool tries)
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 100);
        (await bench.RentAsync()).Dispose();
        var leases = new List<Lease<Part>>();
        for (var number = 1; number <= 100; number++)
        {
            Assert.True(tries ? bench.Pool.TryRent(out var lease) : TryRentWithoutTimeout(bench, out lease));
            leases.Add(lease);
        }

        leases.ForEach(lease => lease.Dispose());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void While_the_pool_is_suspended_callers_that_do_not_wait_cause_no_item_to_be_created(bool tries)
    {
        using var bench = new SharedBench(maxSize: 10, maxUses: 100);
        bench.Pool.Suspend();

        for (var call = 1; call <= 10; call++)
        {
            Assert.False(tries ? bench.Pool.TryRent(out _) : TryRentWithoutTimeout(bench, out _));
            Background.LetThreadPoolRun();
        }

        Assert.Equal(0, bench.Items.Live);
    }

    private static bool TryRentWithoutTimeout(SharedBench bench, out Lease<Part> lease)
    {
        try
        {
            lease = bench.Pool.Rent(TimeSpan.Zero);
            return true;
        }
        catch (PoolTimeoutException)
        {
            lease = default;
            return false;
        }
    }

    [Theory]
    [InlineData(SelectionStrategy.LeastOutstanding)]
    [InlineData(SelectionStrategy.RoundRobin)]
    public async Task Uses_are_spread_evenly(SelectionStrategy selection)
    {
        using var bench = new SharedBench(maxSize: 4, maxUses: 10) { Options = { Selection = selection } };
        await bench.Pool.WarmUpAsync(4).WaitAsync(Background.Limit);

        await bench.RentAsync(20);

        Assert.Equal([5, 5, 5, 5], bench.Pool.GetUses());
    }

    [Fact]
    public async Task With_fewest_uses_the_item_just_released_is_next()
    {
        using var bench = new SharedBench(maxSize: 3, maxUses: 10);
        await bench.Pool.WarmUpAsync(3).WaitAsync(Background.Limit);
        var leases = await bench.RentAsync(6);
        var freed = leases[2].Value;
        leases[2].Dispose();

        Assert.Same(freed, (await bench.RentAsync()).Value);
    }

    [Fact]
    public async Task With_two_choices_full_items_are_skipped()
    {
        using var bench =
            new SharedBench(maxSize: 3, maxUses: 4) { Options = { Selection = SelectionStrategy.PowerOfTwoChoices } };
        await bench.Pool.WarmUpAsync(3).WaitAsync(Background.Limit);

        await bench.RentAsync(12);

        Assert.Equal([4, 4, 4], bench.Pool.GetUses());
    }

    [Fact]
    public async Task A_use_of_an_existing_item_allocates_nothing()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 10);
        await bench.Pool.WarmUpAsync(2).WaitAsync(Background.Limit);

        Assert.Equal(0, Allocated.By(
            () =>
            {
                Assert.True(bench.Pool.TryRent(out var lease));
                lease.Dispose();
                bench.Pool.Rent().Dispose();
            },
            cycles: 1_000));
    }
}
