using Poolhouse.Resources.Engine.Items;
using Poolhouse.TestSupport;

namespace Poolhouse.Tests.Resources;

/// <summary>I24: hits, and waits in the steady state, allocate nothing. Counted on the one thread that does everything.</summary>
public sealed class AllocationGates
{
    [Theory]
    [InlineData(IdleOrder.Lifo)]
    [InlineData(IdleOrder.Fifo)]
    public void A_rent_of_an_idle_item_and_its_return_allocate_nothing(IdleOrder order)
    {
        var bench = new Workbench(2);
        bench.Options.IdleOrder = order;
        bench.Fill(2);

        Assert.Equal(0, AllocatedBy(() =>
        {
            using var lease = bench.Pool.Rent();
        }));
        Assert.Equal(0, AllocatedBy(() =>
        {
            var renting = bench.Pool.RentAsync();
            renting.Result.Dispose();
        }));
        Assert.Equal(0, AllocatedBy(() =>
        {
            _ = bench.Pool.TryRent(out var lease);
            lease.Dispose();
        }));
    }

    [Fact]
    public void A_budget_adds_no_allocation_to_a_rent()
    {
        var bench = new Workbench(2) { Options = { Budget = new ManualBudget(2) } };
        bench.Fill(2);

        Assert.Equal(0, AllocatedBy(() => bench.Pool.Rent().Dispose()));
        Assert.Equal(0, AllocatedBy(() =>
        {
            var renting = bench.Pool.RentAsync();
            renting.Result.Dispose();
        }));
    }

    [Fact]
    public async Task A_rent_of_an_idle_child_of_a_nested_pool_and_its_return_allocate_nothing()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1)
        {
            Parents = { IsBrokenHook = part => part.IsBroken },
            Children = { IsBrokenHook = leaf => leaf.IsBroken },
        };
        (await bench.RentAsync()).Dispose();

        Assert.Equal(0, AllocatedBy(() => bench.Pool.Rent().Dispose()));
        Assert.Equal(0, AllocatedBy(() =>
        {
            var renting = bench.Pool.RentAsync();
            renting.Result.Dispose();
        }));
        Assert.Equal(0, AllocatedBy(() =>
        {
            _ = bench.Pool.TryRent(out var lease);
            lease.Dispose();
        }));
    }

    [Fact]
    public async Task A_hand_over_of_a_child_to_a_waiting_caller_allocates_nothing()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var work = new ManualScheduler();
        bench.Options.ChildPool.Scheduler = work;
        var request = bench.RequestAsync();
        Background.Until(() =>
        {
            work.Run();
            return request.IsCompleted;
        });
        var lease = await request;

        Assert.Equal(0, AllocatedBy(() =>
        {
            var waiting = bench.Pool.RentAsync();
            lease.Dispose();
            work.Run();
            lease = waiting.Result;
        }));
    }

    [Fact]
    public void Checking_for_fail_back_allocates_nothing_while_no_item_should_fail_back()
    {
        var bench = new ServerBench();
        using var best = bench.Create();

        Assert.Equal(0, AllocatedBy(() => _ = best.ShouldFailBack()));
    }

    [Fact]
    public void A_hand_over_to_a_waiting_caller_allocates_nothing()
    {
        var bench = new Workbench();
        var lease = bench.Rent();

        Assert.Equal(0, AllocatedBy(() =>
        {
            var waiting = bench.Pool.RentAsync();
            lease.Dispose();
            bench.Work.Run();
            lease = waiting.Result;
        }));
        Assert.True(bench.Now.Waits > 2_000);
    }

    [Fact]
    public void A_reset_that_completes_at_once_allocates_nothing()
    {
        var bench = new Workbench();
        bench.Policy.Resets = (_, _) => new ValueTask<bool>(result: true);
        bench.Fill(1);

        Assert.Equal(0, AllocatedBy(() =>
        {
            bench.Pool.Rent().Dispose();
            bench.Work.Run();
        }));
    }

    [Fact]
    public void A_label_that_the_pool_does_not_record_costs_nothing()
    {
        var bench = new Workbench();
        bench.Fill(1);
        using var activity = new System.Diagnostics.Activity("request").Start();
        using var label = LeaseLabel.Use("checkout");

        Assert.Equal(0, AllocatedBy(() => bench.Pool.Rent().Dispose()));
        Assert.Null(((ResourceEntry<Part>)bench.Rent().Slot!).Trace);
    }

    private static long AllocatedBy(Action cycle) => Allocated.By(cycle, 2_000);
}
