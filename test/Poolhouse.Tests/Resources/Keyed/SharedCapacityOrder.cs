using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources.Keyed;

/// <summary>Pools that share capacity: every pool that waits for it is served (I5).</summary>
public sealed class SharedCapacityOrder
{
    [Fact]
    public void Pools_with_different_clocks_are_served_in_the_order_of_their_requests()
    {
        var budget = new SharedCapacity<Part>(1);
        var work = new ManualScheduler();
        var holder = NewPool(budget, work, clockAt: 0);
        var first = NewPool(budget, work, clockAt: 10);
        var second = NewPool(budget, work, clockAt: 5);
        var held = Request(holder, work);
        var one = Request(first, work);
        var two = Request(second, work);

        End(held, work);
        Assert.True(one.IsCompleted);
        Assert.False(two.IsCompleted);
        End(one, work);
        End(two, work);
    }

    private static ResourcePool<Part> NewPool(SharedCapacity<Part> budget, ManualScheduler work, double clockAt)
    {
        var clock = new ManualTimeProvider();
        clock.Advance(TimeSpan.FromSeconds(clockAt));
        var options = new ResourcePoolOptions { MaxSize = 3, TimeProvider = clock, Scheduler = work };
        return new ResourcePool<Part>(new ScriptedPolicy(), options, budget.Join(), reportedAs: null);
    }

    private static Task<Lease<Part>> Request(ResourcePool<Part> pool, ManualScheduler work)
    {
        var request = pool.RentAsync().AsTask();
        work.Run();
        return request;
    }

    private static void End(Task<Lease<Part>> request, ManualScheduler work)
    {
        Assert.True(request.IsCompleted);
        request.GetAwaiter().GetResult().Dispose();
        work.Run();
    }
}
