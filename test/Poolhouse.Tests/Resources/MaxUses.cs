namespace Poolhouse.Tests.Resources;

/// <summary>An item is leased at most <see cref="ResourcePoolOptions.MaxUses"/> times.</summary>
public sealed class MaxUses
{
    [Fact]
    public void An_item_is_destroyed_at_the_end_of_its_last_lease()
    {
        var bench = new Workbench();
        bench.Options.MaxUses = 3;
        bench.Fill(1);
        bench.Fill(1);
        Assert.Equal((1, 0L), (bench.Now.Idle, bench.Now.Destroyed));

        bench.Fill(1);

        Assert.Equal((0, 1L), (bench.Now.Idle, bench.Now.DestroyedFor(DestroyReason.MaxUses)));
        using var next = bench.Rent();
        Assert.Equal((1L, 2L), (next.Info.Uses, next.Info.ItemNumber));
        bench.AssertBalanced();
    }

    [Fact]
    public async Task A_caller_that_waits_for_a_used_up_item_gets_a_new_one()
    {
        var bench = new Workbench();
        bench.Options.MaxUses = 1;
        var only = bench.Rent();
        var waiting = bench.RequestAsync();

        bench.Return(only);

        using var lease = await waiting;
        Assert.Equal(2, lease.Info.ItemNumber);
        Assert.Equal(1, bench.Now.DestroyedFor(DestroyReason.MaxUses));
    }

    [Fact]
    public void A_lower_limit_applies_when_leases_end()
    {
        var bench = new Workbench();
        bench.Fill(1);
        bench.Fill(1);
        var options = new ResourcePoolOptions { MaxSize = 1, MaxUses = 2, TimeProvider = bench.Clock, Name = "parts" };
        bench.Pool.Reconfigure(options);
        bench.Run();
        Assert.Equal(1, bench.Now.Idle);

        bench.Fill(1);

        Assert.Equal(1, bench.Now.DestroyedFor(DestroyReason.MaxUses));
    }

    [Fact]
    public void A_limit_below_1_and_a_limit_for_shared_items_are_rejected()
    {
        Assert.Contains(
            "MaxUses", Assert.Throws<ArgumentException>(
                () => new ResourcePool<Part>(new ScriptedPolicy(), new ResourcePoolOptions { MaxSize = 1, MaxUses = 0 })).Message,
                StringComparison.Ordinal);
        Assert.Contains(
            "Pool.MaxUses",
            Assert.Throws<ArgumentException>(() => new SharedResourcePool<Part>(
                new ScriptedPolicy(),
                new SharedResourcePoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1, MaxUses = 5 } })).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Items_are_numbered_in_the_order_of_their_creation()
    {
        var bench = new Workbench(2);
        var recorder = new Recorder();
        bench.Options.Observer = recorder;
        bench.Options.LeakThreshold = Workbench.Seconds(5);
        var leases = bench.Rent(2);
        bench.Advance(6);
        leases[0].Discard();
        bench.Run();
        using var third = bench.Rent();

        Assert.Equal([1, 2, 3], recorder.Of<ItemCreatedArgs>().Select(created => created.ItemNumber));
        Assert.Equal([1, 2], recorder.Of<LeakSuspectedArgs>().Select(suspected => suspected.ItemNumber).Order());
        Assert.Equal(1, Assert.Single(recorder.Of<ItemDestroyedArgs>()).ItemNumber);
        Assert.Equal((2, 3), (leases[1].Info.ItemNumber, third.Info.ItemNumber));
        leases[1].Dispose();
    }
}
