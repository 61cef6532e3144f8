using Poolhouse.Resources;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources;

/// <summary>Pools that share places: nobody who waits for one is forgotten (I5).</summary>
public sealed class SharedPlaces
{
    [Fact]
    public void Pools_whose_clocks_differ_are_served_in_the_order_in_which_they_were_refused()
    {
        var budget = new PlaceBudget<Part>(1);
        var work = new HandScheduler();
        var holder = NewPool(budget, work, clockAt: 0);
        var first = NewPool(budget, work, clockAt: 10);
        var second = NewPool(budget, work, clockAt: 5);
        var held = Ask(holder, work);
        var one = Ask(first, work);
        var two = Ask(second, work);

        End(held, work);
        Assert.True(one.IsCompleted);
        Assert.False(two.IsCompleted);
        End(one, work);
        End(two, work);
    }

    [Fact]
    public void Who_was_refused_while_others_held_fewer_gets_what_is_idle_later()
    {
        var budget = new PlaceBudget<Part>(3);
        var work = new HandScheduler();
        var greedy = NewPool(budget, work, clockAt: 0);
        var other = NewPool(budget, work, clockAt: 0);
        var newcomer = NewPool(budget, work, clockAt: 0);
        var held = Ask(greedy, work);
        var idle = Ask(other, work);
        var busy = Ask(other, work);
        var more = Ask(greedy, work);
        var late = Ask(newcomer, work);

        // One place is given up for each of the two that wait; the one that has none comes first.
        End(idle, work);
        End(busy, work);
        Assert.Equal((true, true), (more.IsCompleted, late.IsCompleted));
        Assert.Equal(3, greedy.GetStatistics().Live + other.GetStatistics().Live + newcomer.GetStatistics().Live);
        End(held, work);
    }

    private static ResourcePool<Part> NewPool(PlaceBudget<Part> budget, HandScheduler work, double clockAt)
    {
        var clock = new ManualTimeProvider();
        clock.Advance(TimeSpan.FromSeconds(clockAt));
        var options = new ResourcePoolOptions { MaxSize = 3, TimeProvider = clock, Scheduler = work };
        return new ResourcePool<Part>(new ScriptedPolicy(), options, budget.Join(), face: null);
    }

    private static Task<Lease<Part>> Ask(ResourcePool<Part> pool, HandScheduler work)
    {
        var asked = pool.RentAsync().AsTask();
        work.Run();
        return asked;
    }

    private static void End(Task<Lease<Part>> asked, HandScheduler work)
    {
        Assert.True(asked.IsCompleted);
        asked.GetAwaiter().GetResult().Dispose();
        work.Run();
    }
}
