namespace Poolhouse.Tests.Workers.Items;

/// <summary>A worker that would wait for itself gets an exception at once.</summary>
public sealed class BlockingOnOwnPool
{
    [Fact]
    public void A_worker_may_not_block_until_another_item_has_run()
    {
        using var bench = new WorkerBench(4);

        var error = bench.Pool.Run(_ => Assert.Throws<InvalidOperationException>(() => bench.Use()));

        Assert.Contains(
            "worker pool 'bench' would block until an item of the same pool has run", error.Message, StringComparison.Ordinal);
        bench.Pool.Run(_ => Assert.Throws<InvalidOperationException>(() => bench.Pool.Run(static _ => { })));
    }

    [Fact]
    public async Task A_worker_may_not_block_on_the_result_of_a_running_item()
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
    public void A_worker_may_block_on_an_item_of_another_pool()
    {
        using var bench = new WorkerBench();
        using var other = new WorkerBench();

        Assert.Equal(0, bench.Pool.Run(_ => other.Use().Number));
    }

    [Fact]
    public async Task An_item_may_await_another_one_of_its_pool()
    {
        using var bench = new WorkerBench(2);

        Assert.Equal(
            1, await bench.Pool.RunAsync(async _ => await bench.Pool.RunAsync(static tool => tool.Number)).AsTask()
                .WaitAsync(Background.Limit));
    }

    [Theory]
    [InlineData("BroadcastAsync")]
    [InlineData("DrainAsync")]
    [InlineData("ShutDownAsync")]
    public async Task An_asynchronous_item_may_not_wait_for_its_own_worker(string method)
    {
        using var bench = new WorkerBench(2);
        Func<Task> call = method switch
        {
            "BroadcastAsync" => () => bench.Pool.BroadcastAsync(static _ => { }),
            "DrainAsync" => () => bench.Pool.DrainAsync(),
            _ => () => bench.Pool.ShutDownAsync(Timeout.InfiniteTimeSpan),
        };

        var before = bench.Pool.RunAsync(async _ => await call()).AsTask();
        var after = bench.Pool.RunAsync(async _ =>
        {
            await Task.Yield();
            await call();
        }).AsTask();

        foreach (var item in new[] { before, after })
        {
            var error = await Assert.ThrowsAsync<InvalidOperationException>(() => item.WaitAsync(Background.Limit));
            Assert.Contains($"{method} of worker pool 'bench' would never complete", error.Message, StringComparison.Ordinal);
        }

        Assert.NotNull(bench.Use());
    }

    [Fact]
    public async Task A_synchronous_item_may_begin_a_broadcast_or_the_end_of_its_pool()
    {
        using var bench = new WorkerBench();

        var broadcast = bench.Pool.Run(_ => bench.Pool.BroadcastAsync(static _ => { }));
        Assert.Equal(1, await broadcast.WaitAsync(Background.Limit));
        var drained = bench.Pool.Run(_ => bench.Pool.DrainAsync());

        await drained.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task An_unobserved_loop_of_yields_shares_its_worker_and_ends_with_its_pool()
    {
        var bench = new WorkerBench();
        var turns = 0;
        var ended = new CancellationTokenSource();
        await bench.Pool.RunAsync(_ =>
        {
            Assert.NotNull(LoopAsync());
            return Task.CompletedTask;
        }).AsTask().WaitAsync(Background.Limit);
        Background.Until(() => Volatile.Read(ref turns) > 10);

        for (var i = 0; i < 20; i++)
        {
            await bench.RunAsync(static _ => { }).WaitAsync(Background.Limit);
        }

        Assert.Equal(1, await bench.Pool.BroadcastAsync(static _ => { }).WaitAsync(Background.Limit));
        await bench.Pool.DisposeAsync();
        Background.Until(() => bench.Policy.Created[0].Destructions == 1 && bench.Now.Workers == 0);
        await ended.CancelAsync();
        ended.Dispose();

        async Task LoopAsync()
        {
            var token = ended.Token;
            while (!token.IsCancellationRequested)
            {
                turns++;
                await Task.Yield();
            }
        }
    }
}
