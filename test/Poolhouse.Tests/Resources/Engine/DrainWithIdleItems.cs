using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources.Engine;

public sealed class DrainWithIdleItems
{
    [Fact]
    public async Task An_item_left_idle_next_to_the_last_waiter_does_not_block_the_drain()
    {
        await using var pool = ResourcePool.Create(
            _ => new ValueTask<Part>(new Part()),
            new ResourcePoolOptions { MaxSize = 2, TimeProvider = new ManualTimeProvider() });
        var first = await pool.RentAsync();
        var second = await pool.RentAsync();
        first.Dispose();
        second.Dispose();
        pool.Suspend();
        var last = pool.RentAsync().AsTask();
        var drained = pool.DrainAsync();

        pool.Resume();
        (await last).Discard();

        await drained.WaitAsync(Background.Limit);
        Assert.Equal(0, pool.GetStatistics().Live);
    }

    private sealed class Part;
}
