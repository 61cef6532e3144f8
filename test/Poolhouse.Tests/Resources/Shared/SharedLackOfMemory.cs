namespace Poolhouse.Tests.Resources.Shared;

/// <summary>
/// Probes and further items of a shared pool that cannot be started for lack of memory: no use, no item and no caller is lost
/// (I3, I5).
/// </summary>
public sealed class SharedLackOfMemory
{
    private readonly ScarceScheduler _work = new();
    private readonly Gate<bool> _probes = new();

    [Fact]
    public async Task A_tainted_use_ends_although_its_item_cannot_be_probed()
    {
        using var bench = NewBench(maxSize: 1, maxUses: 1);
        var lease = await bench.RentAsync();
        lease.Taint();

        _work.LacksMemory = true;
        lease.Dispose();
        _work.LacksMemory = false;

        Assert.Equal([0], bench.Pool.GetUses());
        (await bench.RentAsync()).Dispose();
    }

    [Fact]
    public async Task An_item_that_cannot_be_probed_again_is_released()
    {
        var bench = NewBench(maxSize: 1, maxUses: 2);
        await SuspectAsync(bench);
        Background.Until(() => _probes.Waiting == 1);
        await SuspectAsync(bench);

        _work.QueuesNothing = true;
        _probes.Release(result: true);
        Background.Until(() => bench.Pool.ItemSet.Probing == 0);
        _work.QueuesNothing = false;

        await bench.Pool.DisposeAsync().AsTask().WaitAsync(Background.Limit);
        Assert.Single(bench.Policy.Destroyed);
    }

    [Fact]
    public async Task A_discarded_use_ends_although_the_successor_of_its_item_cannot_be_created()
    {
        using var bench = NewBench(maxSize: 1, maxUses: 1);
        bench.Options.Pool.MinIdle = 1;
        var lease = await bench.RentAsync();

        _work.LacksMemory = true;
        lease.Discard();
        _work.LacksMemory = false;

        Assert.Equal(DestroyReason.Discarded, bench.Destroyed(1)[0].Reason);
        using var next = await bench.RentAsync();
        Assert.Equal(2, next.Value.Number);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_caller_is_served_although_the_next_item_cannot_be_created(bool blocking)
    {
        using var bench = NewBench(maxSize: 2, maxUses: 2);
        bench.Options.GrowAtLoad = 0.5;
        var first = await bench.RentAsync();
        Background.Until(() => bench.Pool.GetUses().Count == 2);
        first.Discard();
        Background.Until(() => bench.Items.Live == 1);

        _work.LacksMemory = true;
        var second = blocking ? bench.Pool.Rent(CancellationToken.None) : await bench.RentAsync();
        _work.LacksMemory = false;

        Assert.Equal(2, second.Value.Number);
        second.Dispose();
        Assert.Equal([0], bench.Pool.GetUses());
    }

    private SharedBench NewBench(int maxSize, int maxUses)
    {
        var bench = new SharedBench(maxSize, maxUses);
        bench.Options.Pool.Scheduler = _work;
        bench.Policy.KeepsAlive = async (_, token) => await _probes.WaitAsync(token);
        return bench;
    }

    private static async Task SuspectAsync(SharedBench bench)
    {
        var lease = await bench.RentAsync();
        lease.Taint();
        await lease.DisposeAsync();
    }
}
