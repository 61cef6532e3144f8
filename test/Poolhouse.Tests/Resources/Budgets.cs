namespace Poolhouse.Tests.Resources;

/// <summary>Pools that follow the limit of a budget.</summary>
public sealed class Budgets
{
    [Fact]
    public void A_pool_has_at_most_as_many_items_as_its_budget_allows()
    {
        var (bench, budget) = NewBench(maxSize: 5, limit: 2);
        var leases = bench.Rent(2);
        var third = bench.RequestAsync();

        Assert.Equal((2, 1, 2), (bench.Now.Live, bench.Now.Waiting, bench.Now.MaxSize));
        budget.Set(3);
        bench.Run();

        Assert.True(third.IsCompletedSuccessfully);
        budget.Set(100);
        leases.AddRange(bench.Rent(2));
        Assert.Equal((5, 5), (bench.Now.Live, bench.Now.MaxSize));
        Assert.False(bench.RequestAsync().IsCompleted);
    }

    [Fact]
    public void A_smaller_limit_destroys_idle_items_at_once_and_leased_ones_when_they_return()
    {
        var (bench, budget) = NewBench(maxSize: 4, limit: 4);
        var leases = bench.Rent(4);
        bench.Return(leases[0]);
        budget.Set(1);
        bench.Run();
        Assert.Equal(3, bench.Now.Live);

        bench.Return(leases[1], leases[2]);
        Assert.Equal(1, bench.Now.Live);
        bench.Return(leases[3]);

        Assert.Equal((1, 1), (bench.Now.Live, bench.Now.Idle));
        bench.AssertBalanced();
    }

    [Fact]
    public async Task A_caller_that_times_out_is_told_of_the_budget()
    {
        var (bench, _) = NewBench(maxSize: 5, limit: 1);
        _ = bench.Rent();
        var second = bench.RequestAsync(Workbench.Seconds(1));
        Assert.Equal((PoolCondition.NoRoom, true), (After(bench, 0.1).Condition, bench.Now.LacksRoom));
        bench.Advance(1);

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => second);

        Assert.Equal(RentPhase.Room, timeout.Phase);
        Assert.Contains("The budget of the pool allows no further item", timeout.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_pool_that_is_full_by_its_own_limit_does_not_blame_the_budget()
    {
        var (bench, _) = NewBench(maxSize: 1, limit: 1);
        _ = bench.Rent();
        var second = bench.RequestAsync(Workbench.Seconds(1));
        bench.Advance(1.1);

        Assert.Equal(RentPhase.Return, (await Assert.ThrowsAsync<PoolTimeoutException>(() => second)).Phase);
    }

    [Fact]
    public async Task The_demand_is_reported_five_times_a_second_and_at_the_end()
    {
        var (bench, budget) = NewBench(maxSize: 2, limit: 2);
        var leases = bench.Rent(2);
        var waiting = bench.RequestAsync();
        bench.Advance(0.3);
        Assert.Equal(new BudgetDemand(Leased: 2, Waiting: 0, Live: 2, Maximum: 2), budget.Last);
        Assert.Equal(2, budget.Last.Wanted);
        var before = budget.Reports.Count;
        bench.Advance(2);
        Assert.InRange(budget.Reports.Count - before, 9, 11);

        bench.Return(leases);
        bench.Return(await waiting);
        bench.Pool.Dispose();
        bench.Run();

        Assert.Equal(default, budget.Last);
        before = budget.Reports.Count;
        bench.Advance(2);
        Assert.Equal(before, budget.Reports.Count);
    }

    [Fact]
    public void A_budget_that_refuses_a_creation_makes_callers_wait_without_an_outage()
    {
        var (bench, budget) = NewBench(maxSize: 2, limit: 2);
        budget.Begins = static () => throw new InvalidOperationException();
        var caller = bench.RequestAsync();
        bench.Advance(1);
        Assert.Empty(bench.Policy.Created);
        Assert.Equal((false, true, 1), (bench.Now.InOutage, bench.Now.LacksRoom, bench.Now.Waiting));

        budget.Begins = static () => true;
        bench.Advance(2);

        Assert.True(caller.IsCompletedSuccessfully);
        Assert.Empty(budget.Refusals);
    }

    [Fact]
    public void A_budget_is_told_of_a_lack_of_room_and_a_confirmed_limit_ends_the_pause()
    {
        var (bench, budget) = NewBench(maxSize: 3, limit: 2);
        var full = new InvalidOperationException("full");
        bench.Policy.LacksRoomHook = _ => true;
        bench.Policy.Creates = _ => throw full;
        var caller = bench.RequestAsync();
        Assert.Same(full, Assert.Single(budget.Refusals));

        bench.Policy.Creates = null;
        budget.Set(2);
        bench.Run();

        Assert.True(caller.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_warm_up_waits_for_the_first_item_that_the_budget_allows()
    {
        var (bench, budget) = NewBench(maxSize: 3, limit: 0);
        var warmUp = bench.Pool.WarmUpAsync(3, TestContext.Current.CancellationToken);
        bench.Run();
        Assert.False(warmUp.IsCompleted);

        budget.Set(2);
        bench.Run();

        await warmUp.WaitAsync(Background.Limit);
        Assert.Equal(2, bench.Now.Live);
    }

    [Fact]
    public void Changed_options_do_not_lift_the_limit_of_the_budget()
    {
        var (bench, _) = NewBench(maxSize: 5, limit: 2);
        bench.Pool.Resize(10);
        bench.Run();

        Assert.Equal(2, bench.Now.MaxSize);
        Assert.Throws<ArgumentException>(() => bench.Pool.Reconfigure(new() { MaxSize = 5, Name = "parts" }));
    }

    [Fact]
    public async Task Two_pools_share_a_limit_and_idle_items_move_to_the_one_whose_callers_wait()
    {
        var budget = new ManualBudget(10);
        var (one, other) = (NewBench(budget, maxSize: 10), NewBench(budget, maxSize: 10));
        _ = other.Pool;
        Advance(0.3);
        one.Fill(one.Now.MaxSize);
        Assert.Equal(10, one.Now.MaxSize + other.Now.MaxSize);

        var leases = Enumerable.Range(0, 10).Select(_ => other.RequestAsync()).ToList();
        Advance(1);

        Assert.All(leases, lease => Assert.True(lease.IsCompletedSuccessfully));
        Assert.Equal((0, 10), (one.Now.Live, other.Now.Live));
        var late = Enumerable.Range(0, 10).Select(_ => one.RequestAsync()).ToList();
        Advance(1);
        Assert.Equal(0, one.Now.Live);
        foreach (var lease in leases)
        {
            other.Return(await lease);
            Advance(0.2);
            Assert.InRange(one.Now.Live + other.Now.Live, 0, 10);
        }

        Assert.Equal(10, late.Count(lease => lease.IsCompletedSuccessfully));

        void Advance(double seconds)
        {
            for (var passed = 0.0; passed < seconds; passed += 0.1)
            {
                one.Advance(0.1);
                other.Advance(0.1);
            }
        }
    }

    [Fact]
    public async Task Two_pools_whose_callers_all_wait_get_equal_parts()
    {
        var budget = new ManualBudget(10);
        var (one, other) = (NewBench(budget, maxSize: 10), NewBench(budget, maxSize: 10));
        var first = Enumerable.Range(0, 20).Select(_ => one.RequestAsync()).ToList();
        var second = Enumerable.Range(0, 20).Select(_ => other.RequestAsync()).ToList();
        for (var i = 0; i < 20; i++)
        {
            one.Advance(0.1);
            other.Advance(0.1);
            foreach (var (bench, requests) in new[] { (one, first), (other, second) })
            {
                if (requests.Find(request => request.IsCompleted) is { } lease)
                {
                    requests.Remove(lease);
                    requests.Add(bench.RequestAsync());
                    bench.Return(await lease);
                }
            }
        }

        Assert.Equal((5, 5), (one.Now.Live, other.Now.Live));
    }

    [Fact]
    public void A_budget_does_not_keep_a_forgotten_pool_alive()
    {
        var budget = new ManualBudget(10);
        var forgotten = Forget(budget);
        for (var i = 0; i < 10 && forgotten.IsAlive; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.False(forgotten.IsAlive, "The budget keeps the pool alive.");
        var bench = NewBench(budget, maxSize: 10);
        bench.Fill(10);
        Assert.Equal(10, budget.Last.Maximum);

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        static WeakReference Forget(PoolBudget budget)
        {
            var bench = NewBench(budget, maxSize: 10);
            bench.Fill(2);
            return new WeakReference(bench.Pool);
        }
    }

    [Fact]
    public void A_fixed_share_is_the_quotient()
    {
        Assert.Equal(33, PoolBudget.Fixed(100, 3).Limit);
        Assert.Equal(7, PoolBudget.Fixed(7).Limit);
        Assert.Throws<ArgumentOutOfRangeException>(() => PoolBudget.Fixed(0));
        Assert.Throws<ArgumentOutOfRangeException>(() => PoolBudget.Fixed(3, 4));
    }

    private static ResourcePoolStatistics After(Workbench bench, double seconds)
    {
        bench.Advance(seconds);
        return bench.Now;
    }

    private static (Workbench Bench, ManualBudget Budget) NewBench(int maxSize, int limit)
    {
        var budget = new ManualBudget(limit);
        return (NewBench(budget, maxSize), budget);
    }

    private static Workbench NewBench(PoolBudget budget, int maxSize) =>
        new(maxSize) { Options = { Budget = budget, RentTimeout = Timeout.InfiniteTimeSpan } };
}
