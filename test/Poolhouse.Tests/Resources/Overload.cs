
namespace Poolhouse.Tests.Resources;

public sealed class Overload
{
    [Fact]
    public async Task A_queue_that_stands_still_for_an_interval_is_shed()
    {
        var bench = NewBench();
        using var lease = bench.Rent();
        var waiting = bench.RequestAsync();
        bench.Advance(0.9);
        Assert.False(waiting.IsCompleted);
        bench.Advance(0.3);

        var shed = await Assert.ThrowsAsync<PoolOverloadedException>(() => waiting);
        Assert.InRange(shed.Elapsed, Workbench.Seconds(1), Workbench.Seconds(1.2));
        Assert.Contains("Overload.Target", shed.Message, StringComparison.Ordinal);
        Assert.Equal(1, bench.Now.Shed);
    }

    [Fact]
    public async Task When_the_shortest_wait_exceeds_the_target_for_an_interval_waiters_above_it_are_shed()
    {
        var bench = NewBench();
        var lease = bench.Rent();
        var waiting = Enumerable.Range(0, 12).Select(_ => bench.RequestAsync()).ToList();
        for (var i = 0; i < 5; i++)
        {
            // In the first interval, one caller hardly waits: the one that found the pool empty.
            bench.Advance(0.4);
            bench.Return(lease);
            lease = await waiting[i];
        }

        bench.Advance(0.4);
        bench.Return(lease);

        Assert.All(waiting[5..], caller => Assert.IsType<PoolOverloadedException>(caller.Exception!.InnerException));
        Assert.Equal((7L, 1), (bench.Now.Shed, bench.Now.Idle));
    }

    [Fact]
    public void A_short_burst_is_not_shed()
    {
        var bench = NewBench();
        var lease = bench.Rent();
        var waiting = bench.RequestAsync();
        bench.Advance(0.9);
        bench.Return(lease);

        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Equal(0, bench.Now.Shed);
    }

    [Fact]
    public async Task Waits_during_a_suspension_do_not_count()
    {
        var bench = NewBench();
        bench.Fill(1);
        bench.Pool.Suspend();
        var waiting = Enumerable.Range(0, 3).Select(_ => bench.RequestAsync()).ToList();
        bench.Advance(10);

        bench.Pool.Resume();
        bench.Run();
        foreach (var caller in waiting)
        {
            Assert.True(caller.IsCompletedSuccessfully);
            bench.Advance(0.4);
            bench.Return(await caller);
        }

        Assert.Equal(0, bench.Now.Shed);
    }

    [Fact]
    public async Task A_queue_that_stands_still_after_a_suspension_is_shed_without_new_callers()
    {
        var bench = NewBench();
        using var lease = bench.Rent();
        bench.Pool.Suspend();
        var waiting = bench.RequestAsync();
        bench.Advance(10);
        bench.Pool.Resume();
        bench.Advance(0.9);
        Assert.False(waiting.IsCompleted);

        bench.Advance(0.3);

        await Assert.ThrowsAsync<PoolOverloadedException>(() => waiting);
    }

    [Fact]
    public async Task Waits_before_the_limit_was_set_do_not_count()
    {
        var bench = new Workbench();
        using var lease = bench.Rent();
        var waiting = bench.RequestAsync();
        bench.Advance(10);
        bench.Options.Overload = new OverloadOptions { Target = TimeSpan.FromMilliseconds(50), Interval = Workbench.Seconds(1) };
        bench.Pool.Reconfigure(bench.Options);
        bench.Advance(0.9);
        Assert.False(waiting.IsCompleted);

        bench.Advance(0.3);

        await Assert.ThrowsAsync<PoolOverloadedException>(() => waiting);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    public async Task A_cold_start_longer_than_the_interval_sheds_no_caller(int maxSize)
    {
        var creations = new Gate<Part>();
        var bench = NewBench(maxSize);
        bench.Policy.Creates = creations.WaitAsync;
        var waiting = Enumerable.Range(0, 5).Select(_ => bench.RequestAsync()).ToList();
        bench.Advance(5);
        while (creations.Waiting > 0)
        {
            creations.Release(bench.Policy.New());
            bench.Run();
        }

        foreach (var caller in waiting)
        {
            Assert.True(caller.IsCompletedSuccessfully);
            bench.Return(await caller);
        }

        Assert.Equal(0, bench.Now.Shed);
    }

    [Fact]
    public async Task A_cold_start_whose_creations_fail_sheds_waiters_from_then_on()
    {
        var creations = new Gate<Part>();
        var bench = NewBench();
        bench.Options.MaxRetryDelay = bench.Options.RetryDelay = Workbench.Seconds(60);
        bench.Policy.Creates = creations.WaitAsync;
        var waiting = bench.RequestAsync();
        bench.Advance(5);
        creations.Fail(new InvalidOperationException("down"));
        bench.Advance(0.9);
        Assert.False(waiting.IsCompleted);

        bench.Advance(0.3);

        await Assert.ThrowsAsync<PoolOverloadedException>(() => waiting);
    }

    [Fact]
    public void Callers_for_whom_the_pool_grows_are_not_shed()
    {
        var creations = new Gate<Part>();
        var bench = NewBench(maxSize: 4);
        bench.Fill(1);
        using var longLease = bench.Rent();
        bench.Policy.Creates = creations.WaitAsync;
        var waiting = Enumerable.Range(0, 3).Select(_ => bench.RequestAsync()).ToList();
        for (var i = 0; i < 3; i++)
        {
            bench.Advance(3);
            creations.Release(bench.Policy.New());
            bench.Run();
        }

        Assert.All(waiting, caller => Assert.True(caller.IsCompletedSuccessfully));
        Assert.Equal(0, bench.Now.Shed);
    }

    private static Workbench NewBench(int maxSize = 1)
    {
        var bench = new Workbench(maxSize);
        bench.Options.Overload = new OverloadOptions { Target = TimeSpan.FromMilliseconds(50), Interval = Workbench.Seconds(1) };
        return bench;
    }
}
