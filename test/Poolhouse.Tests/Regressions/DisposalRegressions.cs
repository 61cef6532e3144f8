
namespace Poolhouse.Tests.Regressions;

/// <summary>Bugs that resource pools had when they were closed. The numbers identify families of bugs.</summary>
public sealed class DisposalRegressions
{
    // 23: POOL-189: waiters are not woken when the pool is closed.
    [Fact]
    public async Task All_waiters_are_notified_that_the_pool_is_closed()
    {
        var bench = new Workbench();
        using var lease = bench.Rent();
        var waiting = bench.RequestAsync(Timeout.InfiniteTimeSpan);
        var blocked = Background.Start(() => bench.Pool.Rent(Timeout.InfiniteTimeSpan));
        Background.Until(() => bench.Now.Waiting == 2);

        bench.Pool.Dispose();
        bench.Run();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting.WaitAsync(Background.Limit));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => blocked.WaitAsync(Background.Limit));
        Assert.Equal(0, bench.Now.Waiting);
    }

    // 23: HikariCP#128 #229: closed while it is made, the item stays alive, or the counts go below zero.
    [Fact]
    public async Task An_item_created_while_the_pool_closes_is_destroyed()
    {
        var bench = new Workbench();
        var creations = new Gate<Part>();
        bench.Policy.Creates = token => creations.WaitAsync(token);
        var waiting = bench.RequestAsync();

        bench.Pool.Dispose();
        bench.Run();
        Assert.True(creations.Token.IsCancellationRequested);
        creations.Release(bench.Policy.New());
        bench.Run();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting);
        Assert.Equal((bench.Policy.Created[0], DestroyReason.PoolDisposed), Assert.Single(bench.Policy.Destroyed));
        Assert.Equal(0, bench.Now.Live);
        bench.AssertBalanced();
    }
}
