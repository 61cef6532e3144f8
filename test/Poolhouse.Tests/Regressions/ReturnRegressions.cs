using System.Runtime.CompilerServices;

namespace Poolhouse.Tests.Regressions;

/// <summary>Bugs that resource pools had when items were returned. The numbers identify families of bugs.</summary>
public sealed class ReturnRegressions
{
    // 12: npgsql#4425 #4479, POOL-419, POOL-248: a second end of the same lease corrupts the counts.
    [Fact]
    public void An_item_that_was_returned_cannot_be_discarded_by_the_same_lease()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        bench.Return(lease);

        lease.Discard();
        bench.Run();

        Assert.Equal((1, 0L, 1L), (bench.Now.Idle, bench.Now.Discarded, bench.Now.DoubleReturns));
        Assert.Empty(bench.Policy.Destroyed);
        bench.AssertBalanced();
    }

    // 12, at once and late, while others rent.
    [Fact]
    public void Two_thousand_double_returns_give_no_item_two_owners()
    {
        const int Callers = 4;
        const int Rounds = 500;
        using var pool = ResourcePool.Create(
            static _ => new ValueTask<StrongBox<int>>(new StrongBox<int>()), new ResourcePoolOptions { MaxSize = 2 });
        Threads.Run(Callers, _ =>
        {
            for (var round = 0; round < Rounds; round++)
            {
                var lease = pool.Rent();
                Assert.Equal(1, Interlocked.Increment(ref lease.Value.Value));
                Assert.Equal(0, Interlocked.Decrement(ref lease.Value.Value));
                var copy = lease;
                lease.Dispose();
                copy.Dispose();
            }
        });

        var now = pool.GetStatistics();
        Assert.Equal((Callers * Rounds, Callers * Rounds), (now.Returned, now.DoubleReturns));
        Assert.Equal(0, now.Leased);
        Assert.InRange(now.PeakLive, 1, 2);
    }

    // 12: POOL-431: the caller that discards an item has to wait for its replacement, or gets the failure of its creation.
    [Fact]
    public void Pool_431_an_item_that_is_discarded_is_replaced_only_for_a_waiter_and_its_failure_reaches_no_one()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        bench.Policy.Creates = _ => throw new IOException();

        lease.Discard();
        bench.Run();

        Assert.Equal((0, 0L, 1L), (bench.Now.Live, bench.Now.CreateFailures, bench.Now.Discarded));
        bench.AssertBalanced();
    }

    // 13: npgsql#3719 #3721 #3863, SqlClient PR#3653: capacity is lost bit by bit, until the pool is smaller than configured.
    [Fact]
    public async Task All_capacity_is_released_however_an_item_ends()
    {
        var bench = new Workbench(3);
        bench.Policy.IsBrokenHook = part => part.IsBroken;
        bench.Policy.Resets = (part, _) => string.Equals(part.Session, "throw", StringComparison.Ordinal)
            ? throw new InvalidOperationException()
            : new ValueTask<bool>(part.Session is null);
        for (var i = 0; i < 3; i++)
        {
            foreach (var end in Ends())
            {
                var lease = bench.Rent();
                end(lease);
                lease.Dispose();
                bench.Run();
            }

            using var cancellation = new CancellationTokenSource();
            var held = bench.Rent(3);
            var cancelled = bench.RequestAsync(cancellation.Token);
            await cancellation.CancelAsync();
            bench.Return(held);
            await Assert.ThrowsAsync<OperationCanceledException>(() => cancelled);
        }

        Assert.Equal(3, bench.Rent(3).Count);
        bench.AssertBalanced();

        static IEnumerable<Action<Lease<Part>>> Ends() =>
        [
            lease => lease.Discard(),
            lease => lease.Detach(),
            lease => lease.Taint(),
            lease => lease.Value.IsBroken = true,
            lease => lease.Value.Session = "refuse",
            lease => lease.Value.Session = "throw",
            _ => { },
        ];
    }

    // 16: npgsql#4244: Close calls Break calls Clear calls Close, until the stack overflows.
    [Fact]
    public void A_chain_of_disconnects_does_not_grow_the_stack()
    {
        var bench = new Workbench(100);
        var leases = new Queue<Lease<Part>>();
        var depth = 0;
        var deepest = 0;
        bench.Policy.Destroys = (_, _) =>
        {
            deepest = Math.Max(deepest, ++depth);
            if (leases.TryDequeue(out var next))
            {
                bench.Pool.Invalidate(next);
                next.Discard();
            }

            depth--;
            return default;
        };
        bench.Rent(100).ForEach(leases.Enqueue);

        leases.Dequeue().Discard();
        bench.Run();

        Assert.Equal((100, 1), (bench.Policy.Destroyed.Count, deepest));
        Assert.Equal(0, bench.Now.Live);
    }

    // 21: npgsql#4085 #4451 #6249, psycopg#144, SqlClient#96: the next user finds the transaction of the last one.
    [Fact]
    public void The_state_a_user_left_behind_is_reset_before_the_next_lease()
    {
        var bench = new Workbench();
        bench.Policy.Resets = (part, _) =>
        {
            part.Session = null;
            return new ValueTask<bool>(result: true);
        };
        var lease = bench.Rent();
        lease.Value.Session = "BEGIN";
        bench.Return(lease);

        Assert.Null(bench.Rent().Value.Session);
        Assert.Single(bench.Policy.Created);
    }

    // 25: deadpool 0.12.2 and 0.9.5: resized down and up again, the pool grows too large or panics.
    [Fact]
    public void A_pool_resized_while_all_items_are_leased_keeps_its_bound()
    {
        var bench = new Workbench(4);
        var leases = bench.Rent(4);
        bench.Pool.Resize(1);
        var waiting = bench.RequestAsync();
        bench.Pool.Resize(4);
        bench.Pool.Resize(2);
        bench.Run();
        Assert.Equal((4, 4L), (bench.Now.Live, bench.Now.PeakLive));

        bench.Return(leases);

        // Two were surplus, one is the waiter's, one is idle.
        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Equal((2, 1, 2L, 4L), (bench.Now.Live, bench.Now.Idle, bench.Now.Surplus, bench.Now.PeakLive));
        bench.AssertBalanced();
    }

    // 29: SqlClient#4504: a failure counts something down that was not counted up, and gauges go below zero.
    [Fact]
    public void Counts_add_up_after_each_step_of_every_failure()
    {
        var bench = new Workbench(2);
        var creations = new Gate<Part>();
        var checks = new Gate<bool>();
        var destructions = new Gate<bool>();
        bench.Policy.Creates = creations.WaitAsync;
        bench.Policy.Validates = (_, _, token) => checks.WaitAsync(token);
        bench.Options.ValidateAfterIdle = TimeSpan.Zero;
        bench.Policy.Resets = (_, token) => checks.WaitAsync(token);
        bench.Policy.Destroys = async (_, _) => await destructions.WaitAsync();
        Action[] steps =
        [
            () => _ = bench.RequestAsync(Workbench.Seconds(1)),
            () => creations.Fail(new InvalidOperationException()),
            () => bench.Advance(2),
            () => creations.Release(bench.Policy.New()),
            () => bench.Pool.TryRent(out _),
            () => checks.Fail(new InvalidOperationException()),
            () => destructions.Fail(new InvalidOperationException()),
        ];

        foreach (var step in steps)
        {
            step();
            bench.Run();
            bench.AssertBalanced();
        }
    }

    // 30: poolboy#56: the renting process is gone, and the item stays busy without a report.
    [Fact]
    public void A_leaked_lease_is_reported_once_with_the_call_site_of_its_rent()
    {
        var bench = new Workbench();
        var recorder = new Recorder();
        bench.Options.TrackLeases = true;
        bench.Options.LeakThreshold = Workbench.Seconds(10);
        bench.Options.Observer = recorder;
        _ = bench.Rent();

        bench.Advance(60);

        var leak = Assert.Single(recorder.Of<LeakSuspectedArgs>());
        Assert.Equal(Workbench.Seconds(10), leak.LeasedFor);
        Assert.Contains(
            nameof(A_leaked_lease_is_reported_once_with_the_call_site_of_its_rent), leak.RentedAt!.ToString(),
            StringComparison.Ordinal);
        Assert.Equal(1, bench.Now.SuspectedLeaks);
    }
}
