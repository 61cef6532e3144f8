
namespace Poolhouse.Tests.Resources;

public sealed class Cancellation
{
    [Fact]
    public async Task A_token_cancelled_beforehand_rents_nothing()
    {
        var bench = new Workbench();
        bench.Fill(1);
        var cancelled = new CancellationToken(canceled: true);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => bench.RequestAsync(cancelled));
        Assert.Throws<OperationCanceledException>(() => bench.Pool.Rent(cancelled));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => bench.Pool.WarmUpAsync(1, cancelled));

        Assert.Equal((1, 0L), (bench.Now.Idle, bench.Now.Cancellations));
    }

    [Fact]
    public async Task A_blocked_caller_can_cancel()
    {
        var bench = new Workbench();
        using var lease = bench.Rent();
        using var cancellation = new CancellationTokenSource();
        var blocked = Background.Start(() => bench.Pool.Rent(cancellation.Token));
        Background.Until(() => bench.Now.Waiting == 1);

        await cancellation.CancelAsync();

        var cancelled = await Assert.ThrowsAsync<OperationCanceledException>(() => blocked.WaitAsync(Background.Limit));
        Assert.Equal(cancellation.Token, cancelled.CancellationToken);
        Assert.Equal((0, 1L), (bench.Now.Waiting, bench.Now.Cancellations));
    }

    [Fact]
    public async Task A_cancellation_does_not_change_the_order_of_the_other_waiters()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        using var cancellation = new CancellationTokenSource();
        var first = bench.RequestAsync();
        var middle = bench.RequestAsync(cancellation.Token);
        var last = bench.RequestAsync();

        await cancellation.CancelAsync();
        bench.Run();
        await Assert.ThrowsAsync<OperationCanceledException>(() => middle);
        bench.Return(lease);
        Assert.False(last.IsCompleted);
        bench.Return(await first);

        Assert.True(last.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_cancellation_is_answered_although_the_creation_hangs()
    {
        var bench = new Workbench();
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        using var cancellation = new CancellationTokenSource();
        var waiting = bench.RequestAsync(cancellation.Token);

        await cancellation.CancelAsync();
        bench.Run();

        await Assert.ThrowsAsync<OperationCanceledException>(() => waiting);
        Assert.False(creations.Token.IsCancellationRequested);
    }

    [Fact]
    public async Task A_cancelled_operation_taints_its_item()
    {
        var bench = new Workbench();
        using var cancellation = new CancellationTokenSource();
        bench.Fill(1);

        await Assert.ThrowsAsync<OperationCanceledException>(async () => await bench.Pool.UseAsync<int>(
            async (_, token) =>
            {
                await cancellation.CancelAsync();
                token.ThrowIfCancellationRequested();
                return 0;
            },
            cancellation.Token));
        bench.Run();

        Assert.Equal(DestroyReason.Tainted, Assert.Single(bench.Policy.Destroyed).Reason);
    }

    [Fact]
    public async Task A_cancelled_waiter_object_is_reused_without_its_old_state()
    {
        var bench = new Workbench();
        for (var i = 0; i < 10; i++)
        {
            using var cancellation = new CancellationTokenSource();
            var lease = bench.Rent();
            var cancelled = bench.RequestAsync(cancellation.Token);
            await cancellation.CancelAsync();
            bench.Run();
            Assert.True(cancelled.IsCanceled);

            var patient = bench.RequestAsync();
            bench.Return(lease);
            Assert.True(patient.IsCompletedSuccessfully);
            bench.Return(await patient);
        }
    }
}
