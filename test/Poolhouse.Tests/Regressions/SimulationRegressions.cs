using Poolhouse.Testing;

namespace Poolhouse.Tests.Regressions;

/// <summary>Bugs found by the seeded simulation, reduced to minimal cases.</summary>
public sealed class SimulationRegressions
{
    [Fact]
    public async Task A_resumed_pool_serves_idle_items_although_a_creation_hangs()
    {
        var creations = 0;
        await using var pool = ResourcePool.Create(
            async token => ++creations == 1 ? new object() : await HangAsync(token),
            new ResourcePoolOptions { MaxSize = 2, TimeProvider = new ManualTimeProvider() });
        var lease = await pool.RentAsync();
        using var cancellation = new CancellationTokenSource();
        var givesUp = pool.RentAsync(cancellation.Token).AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => givesUp);

        pool.Suspend();
        lease.Dispose();
        var waiting = pool.RentAsync().AsTask();
        pool.Resume();

        using var served = await waiting.WaitAsync(TimeSpan.FromSeconds(30));
        Assert.Equal(1, pool.GetStatistics().Creating);
    }

    [Fact]
    public async Task A_warm_up_ends_when_the_pool_is_made_smaller()
    {
        var creations = 0;
        await using var pool = ResourcePool.Create(
            async token => ++creations <= 2 ? new object() : await HangAsync(token),
            new ResourcePoolOptions { MaxSize = 8, MaxConcurrentCreates = 1, TimeProvider = new ManualTimeProvider() });
        using var first = await pool.RentAsync();
        using var second = await pool.RentAsync();
        var warm = pool.WarmUpAsync(8);
        Assert.False(warm.IsCompleted);

        pool.Resize(2);

        await warm.WaitAsync(TimeSpan.FromSeconds(30));
    }

    [Fact]
    public async Task A_drained_pool_closes_although_no_caller_awaits_the_drain()
    {
        var clock = new ManualTimeProvider();
        await using var pool = ResourcePool.Create(
            _ => new ValueTask<object>(new object()), new ResourcePoolOptions { MaxSize = 1, MinIdle = 1, TimeProvider = clock });
        var lease = await pool.RentAsync();
        using var cancellation = new CancellationTokenSource();
        var drained = pool.DrainAsync(cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => drained);

        lease.Dispose();

        Assert.True(SpinWait.SpinUntil(() => clock.ArmedTimers == 0, TimeSpan.FromSeconds(30)));
    }

    private static Task<object> HangAsync(CancellationToken cancellationToken) =>
        new TaskCompletionSource<object>().Task.WaitAsync(cancellationToken);
}
