using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Tests.Resources;

public sealed class Waiting
{
    [Fact]
    public async Task Blocking_and_awaiting_callers_are_served_in_the_order_of_arrival()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        var served = new List<int>();
        var callers = new List<Task>();
        for (var i = 0; i < 6; i++)
        {
            var (number, waiting) = (i, bench.Now.Waiting);
            callers.Add(i % 2 == 0 ? UseAsync(number) : Background.Start(() => Use(number)));
            Background.Until(() => bench.Now.Waiting == waiting + 1);
        }

        lease.Dispose();
        Background.Until(() =>
        {
            bench.Run();
            return callers.TrueForAll(caller => caller.IsCompleted);
        });

        await Task.WhenAll(callers);
        Assert.Equal([0, 1, 2, 3, 4, 5], served);

        async Task UseAsync(int number)
        {
            using var own = await bench.Pool.RentAsync(Timeout.InfiniteTimeSpan);
            served.Add(number);
        }

        bool Use(int number)
        {
            using var own = bench.Pool.Rent(Timeout.InfiniteTimeSpan);
            served.Add(number);
            return true;
        }
    }

    [Fact]
    public async Task At_most_MaxWaiters_callers_wait()
    {
        var bench = new Workbench();
        bench.Options.MaxWaiters = 2;
        var lease = bench.Rent();
        var waiting = new[] { bench.RequestAsync(), bench.RequestAsync() };

        var refused = await Assert.ThrowsAsync<PoolOverloadedException>(() => bench.RequestAsync());

        var statistics = Assert.IsType<ResourcePoolStatistics>(refused.Statistics);
        Assert.Equal(("parts", TimeSpan.Zero, 2, 1L), (refused.PoolName, refused.Elapsed, statistics.Waiting, statistics.Shed));
        Assert.Contains("MaxWaiters (2) is reached", refused.Message, StringComparison.Ordinal);
        Assert.Throws<PoolOverloadedException>(() => bench.Pool.Rent());
        bench.Return(lease);
        Assert.True(waiting[0].IsCompletedSuccessfully);
        Assert.False(waiting[1].IsCompleted);
    }

    [Fact]
    public async Task With_no_waiters_allowed_a_caller_may_still_wait_for_a_pending_item()
    {
        var bench = new Workbench(2);
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        bench.Options.MaxWaiters = 0;
        var served = new[] { bench.RequestAsync(), bench.RequestAsync() };

        await Assert.ThrowsAsync<PoolOverloadedException>(() => bench.RequestAsync());
        creations.Release(bench.Policy.New());
        creations.Release(bench.Policy.New());
        bench.Run();

        Assert.All(served, caller => Assert.True(caller.IsCompletedSuccessfully));
    }

    [Fact]
    public void With_no_waiters_allowed_a_stale_item_is_validated_for_its_caller()
    {
        var bench = new Workbench();
        bench.Options.MaxWaiters = 0;
        bench.Options.ValidateAfterIdle = TimeSpan.Zero;
        bench.Policy.Validates = (_, _, _) => new ValueTask<bool>(result: true);
        bench.Fill(1);

        bench.Return(bench.Rent());

        Assert.Equal(1, bench.Now.Created);
    }

    [Fact]
    public void With_no_waiters_allowed_a_caller_that_missed_a_return_is_not_rejected()
    {
        var bench = new Workbench();
        bench.Options.MaxWaiters = 0;
        bench.Fill(1);

        // It checked before the item was returned, and enters the queue afterwards.
        Assert.Equal(WaitOutcome.None, bench.Pool.Runtime.Core.Enter(new ManualWaiter(), stale: null, now: 0));
    }

    [Fact]
    public async Task A_timeout_of_zero_does_not_wait()
    {
        var bench = new Workbench();
        bench.Options.RentTimeout = TimeSpan.Zero;
        _ = bench.Pool.WarmUpAsync(1);
        bench.Run();
        var lease = bench.Rent();

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => bench.RequestAsync());
        Assert.Equal((TimeSpan.Zero, RentPhase.Return), (timeout.Elapsed, timeout.Phase));
        Assert.Throws<PoolTimeoutException>(() => bench.Pool.Rent());
        bench.Return(lease);
        bench.Return(bench.Rent());
    }

    [Fact]
    public async Task A_stale_item_is_validated_although_its_caller_could_not_wait()
    {
        var bench = new Workbench();
        bench.Policy.Validates = (_, _, _) => new ValueTask<bool>(result: true);
        bench.Fill(1);
        bench.Advance(2);

        await Assert.ThrowsAsync<PoolTimeoutException>(() => bench.RequestAsync(TimeSpan.Zero));

        Assert.True(bench.Pool.TryRent(out _));
    }

    [Fact]
    public async Task Each_wait_has_its_own_absolute_deadline()
    {
        var bench = new Workbench();
        using var lease = bench.Rent();
        var patient = bench.RequestAsync(Workbench.Seconds(20));
        var hasty = bench.RequestAsync(Workbench.Seconds(3));
        var endless = bench.RequestAsync(Timeout.InfiniteTimeSpan);

        bench.Advance(3);
        var first = await Assert.ThrowsAsync<PoolTimeoutException>(() => hasty);
        Assert.False(patient.IsCompleted);
        bench.Advance(17);
        var second = await Assert.ThrowsAsync<PoolTimeoutException>(() => patient);
        bench.Advance(TimeSpan.FromDays(100));

        Assert.Equal((Workbench.Seconds(3), Workbench.Seconds(20)), (first.Elapsed, second.Elapsed));
        Assert.False(endless.IsCompleted);
        Assert.Equal((1, 2L), (bench.Now.Waiting, bench.Now.Timeouts));
    }

    [Fact]
    public void New_callers_never_overtake_waiters()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        var waiting = bench.RequestAsync();
        lease.Dispose();

        Assert.False(bench.Pool.TryRent(out _));
        var late = bench.RequestAsync();

        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.False(late.IsCompleted);
    }

    [Fact]
    public void The_code_of_a_waiter_never_runs_on_the_stack_of_the_returning_thread()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        var ran = false;
        _ = WaitAsync();

        lease.Dispose();
        Assert.False(ran);
        bench.Run();

        Assert.True(ran);

        async Task WaitAsync()
        {
            using var own = await bench.Pool.RentAsync();
            ran = true;
        }
    }

    [Fact]
    public void An_exception_thrown_by_the_code_of_one_waiter_does_not_reach_the_next()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        Task<Lease<Part>>? next = null;

        // The continuation runs where the wait is completed.
        SynchronizationContext.SetSynchronizationContext(null);
#pragma warning disable CA2012 // The awaiter is used as generated code would use it, except that the continuation throws.
        var first = bench.Pool.RentAsync().GetAwaiter();
#pragma warning restore CA2012
        first.UnsafeOnCompleted(() =>
        {
            // Once its result was taken, the object of this wait serves the next caller.
            lease = first.GetResult();
            next = bench.Pool.RentAsync().AsTask();
            throw new InvalidDataException();
        });
        lease.Dispose();

        Assert.Throws<InvalidDataException>(bench.Run);
        Assert.False(next!.IsCompleted);
        bench.Return(lease);
        Assert.True(next.IsCompletedSuccessfully);
    }
}
