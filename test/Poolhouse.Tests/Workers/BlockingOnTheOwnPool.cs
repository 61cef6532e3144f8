namespace Poolhouse.Tests.Workers;

/// <summary>A worker that would wait for itself is told so at once.</summary>
public sealed class BlockingOnTheOwnPool
{
    [Fact]
    public void A_worker_may_not_block_until_another_item_has_run()
    {
        using var bench = new WorkerBench(4);

        var error = bench.Pool.Run(_ => Assert.Throws<InvalidOperationException>(() => bench.Use()));

        Assert.Contains("worker pool 'bench' would block until an item of the same pool has run", error.Message, StringComparison.Ordinal);
        bench.Pool.Run(_ => Assert.Throws<InvalidOperationException>(() => bench.Pool.Run(static _ => { })));
    }

    [Fact]
    public async Task A_worker_may_not_ask_for_the_result_of_an_item_that_has_not_ended()
    {
        using var bench = new WorkerBench();

        var inner = await bench.GetAsync(_ =>
        {
            var item = bench.Pool.RunAsync(static _ => 42);
            Assert.Contains(
                "would block",
                Assert.Throws<InvalidOperationException>(() => item.GetAwaiter().GetResult()).Message,
                StringComparison.Ordinal);
            return item.AsTask();
        }).WaitAsync(Background.Limit);

        Assert.Equal(42, await inner.WaitAsync(Background.Limit));
    }

    [Fact]
    public void Workers_of_one_pool_may_block_on_another_one()
    {
        using var bench = new WorkerBench();
        using var other = new WorkerBench();

        Assert.Equal(0, bench.Pool.Run(_ => other.Use().Number));
    }

    [Fact]
    public async Task An_item_may_await_another_one_of_its_pool()
    {
        using var bench = new WorkerBench(2);

        Assert.Equal(1, await bench.Pool.RunAsync(async _ => await bench.Pool.RunAsync(static tool => tool.Number)).AsTask().WaitAsync(Background.Limit));
    }
}
