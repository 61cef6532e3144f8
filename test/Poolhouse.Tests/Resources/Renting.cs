using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources;

public sealed class Renting
{
    [Fact]
    public async Task A_returned_item_is_rented_again()
    {
        await using var pool = ResourcePool.Create(_ => new ValueTask<Part>(new Part()), new ResourcePoolOptions { MaxSize = 2 });

        Part first;
        using (var lease = await pool.RentAsync())
        {
            first = lease.Value;
        }

        using var again = await pool.RentAsync();
        Assert.Same(first, again.Value);
        Assert.Equal(2, again.Info.Uses);
        Assert.Equal(1, pool.GetStatistics().Created);
    }

    [Fact]
    public async Task A_caller_without_an_idle_item_waits_for_a_return()
    {
        await using var pool = ResourcePool.Create(_ => new ValueTask<Part>(new Part()), new ResourcePoolOptions { MaxSize = 1 });
        var lease = await pool.RentAsync();

        var waiting = pool.RentAsync().AsTask();
        Assert.False(waiting.IsCompleted);
        lease.Dispose();

        using var given = await waiting;
        Assert.Equal(1, pool.GetStatistics().Waiting + pool.GetStatistics().Created);
    }

    [Fact]
    public async Task A_timed_out_caller_gets_an_explanation()
    {
        var clock = new ManualTimeProvider();
        await using var pool = ResourcePool.Create(
            _ => new ValueTask<Part>(new Part()), new ResourcePoolOptions { MaxSize = 1, Name = "parts", TimeProvider = clock });
        using var lease = await pool.RentAsync();

        var waiting = pool.RentAsync().AsTask();
        clock.Advance(TimeSpan.FromSeconds(30));

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting);
        Assert.Equal(RentPhase.Return, timeout.Phase);
        Assert.StartsWith(
            "Pool 'parts': no item within 30 s (MaxSize 1: 1 leased, 0 idle,", timeout.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_blocked_caller_is_served_by_a_return()
    {
        using var pool = ResourcePool.Create(_ => new ValueTask<Part>(new Part()), new ResourcePoolOptions { MaxSize = 1 });
        var lease = pool.Rent();
        Part? got = null;
        var thread = new Thread(() =>
        {
            using var second = pool.Rent();
            got = second.Value;
        });
        thread.Start();
        Background.Until(() => pool.GetStatistics().Waiting == 1);
        var item = lease.Value;
        lease.Dispose();
        thread.Join();

        Assert.Same(item, got);
    }

    [Fact]
    public async Task A_cancelled_caller_leaves_the_queue()
    {
        await using var pool = ResourcePool.Create(_ => new ValueTask<Part>(new Part()), new ResourcePoolOptions { MaxSize = 1 });
        var lease = await pool.RentAsync();
        using var cancellation = new CancellationTokenSource();
        var cancelled = pool.RentAsync(cancellation.Token).AsTask();
        var patient = pool.RentAsync().AsTask();

        await cancellation.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(() => cancelled);
        lease.Dispose();

        using var given = await patient;
        Assert.Equal(1, pool.GetStatistics().Cancellations);
    }

    private sealed class Part;
}
