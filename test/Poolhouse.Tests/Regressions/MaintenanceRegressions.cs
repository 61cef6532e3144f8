using Poolhouse.Testing;

namespace Poolhouse.Tests.Regressions;

/// <summary>Bugs that resource pools had in their maintenance. The numbers identify families of bugs.</summary>
public sealed class MaintenanceRegressions
{
    // 15: npgsql#918, POOL-356, c3p0: maintenance and a failing caller take the same locks in opposite orders.
    [Fact]
    public async Task No_hook_and_no_observer_runs_under_a_lock_of_the_pool()
    {
        var locked = new List<string>();
        var seen = new HashSet<string>(StringComparer.Ordinal);
        ResourcePool<Part>? pool = null;
        var policy = new ScriptedPolicy();
        var clock = new Poolhouse.Testing.ManualTimeProvider();
        policy.Creates = _ => CheckHook("create", policy.Created.Count == 2 ? throw new InvalidOperationException() : policy.New());
        policy.Validates = (_, _, _) => CheckHook("validate", result: true);
        policy.Resets = (part, _) => CheckHook("reset", part.Session is null);
        policy.KeepsAlive = async (_, _) => await CheckHook("keep alive", result: true);
        policy.Destroys = async (_, _) => await CheckHook("destroy", result: true);
        pool = new ResourcePool<Part>(policy, new ResourcePoolOptions
        {
            MaxSize = 3,
            TimeProvider = clock,
            Scheduler = new InlineScheduler(),
            KeepAliveInterval = TimeSpan.FromSeconds(5),
            IdleTimeout = TimeSpan.FromSeconds(20),
            LeakThreshold = TimeSpan.FromSeconds(30),
            Observer = new Listener(() => Check("observer")),
        });

        var first = await pool.RentAsync();
        var second = await pool.RentAsync();
        first.Value.Session = "dirty";
        _ = pool.RentAsync(TimeSpan.FromSeconds(1)).AsTask();
        clock.Advance(TimeSpan.FromSeconds(2));
        first.Dispose();
        clock.Advance(TimeSpan.FromSeconds(30));
        second.Dispose();
        clock.Advance(TimeSpan.FromSeconds(2));
        _ = pool.TryRent(out _);
        clock.Advance(TimeSpan.FromSeconds(60));
        pool.Dispose();

        Assert.Empty(locked);
        Assert.Equal(["create", "destroy", "keep alive", "observer", "reset", "validate"], seen.Order(StringComparer.Ordinal));

        ValueTask<TResult> CheckHook<TResult>(string where, TResult result)
        {
            Check(where);
            return new ValueTask<TResult>(result);
        }

        void Check(string where)
        {
            // All of these need locks of the pool: its gate, the timer's lock, and the lock of a clock reading.
            seen.Add(where);
            if (pool is not null && !Background.CanDo(() =>
            {
                _ = pool.GetStatistics();
                pool.Runtime.ScheduleAt(0);
                clock.Advance(TimeSpan.Zero);
            }))
            {
                locked.Add(where);
            }
        }
    }

    // 17: npgsql#4193 #4373 #2708: after one failed open nothing is ever trimmed again.
    [Fact]
    public void Trimming_continues_while_creations_fail()
    {
        var bench = new Workbench(3);
        bench.Options.IdleTimeout = Workbench.Seconds(60);
        bench.Fill(2);
        bench.Policy.Creates = _ => throw new InvalidOperationException("down");
        var leases = bench.Rent(2);
        _ = bench.RequestAsync(Workbench.Seconds(5));
        bench.Advance(6);
        bench.Return(leases);
        Assert.True(bench.Now.InOutage);

        bench.Advance(61);

        Assert.Equal((0, 2L), (bench.Now.Live, bench.Now.DestroyedFor(DestroyReason.Idle)));
    }

    // 18: Firebird#560, npgsql#4818 #536, r2d2 0.8.3: renting the coldest item first keeps every one of them warm.
    [Fact]
    public void A_pool_that_grew_shrinks_to_what_is_in_use()
    {
        var bench = new Workbench(6);
        bench.Options.IdleTimeout = Workbench.Seconds(10);
        bench.Fill(6);

        for (var second = 0; second < 20; second++)
        {
            bench.Return(bench.Rent(2));
            bench.Advance(1);
        }

        Assert.Equal((2, 4L), (bench.Now.Idle, bench.Now.DestroyedFor(DestroyReason.Idle)));
    }

    // 19: a restart of the server costs one error for each stale connection.
    [Fact]
    public void A_fatal_error_ages_out_all_items_created_before_it_and_no_younger_ones()
    {
        var bench = new Workbench(5);
        var leases = bench.Rent(5);
        bench.Return(leases.Skip(2));

        bench.Pool.Invalidate(leases[0]);
        bench.Run();
        Assert.Equal(3, bench.Policy.Destroyed.Count);

        // Created after the restart, so a late report about another old item does not affect it.
        var young = bench.Rent();
        bench.Pool.Invalidate(leases[1]);
        bench.Return([young, leases[0], leases[1]]);

        Assert.Equal((5, 1), (bench.Policy.Destroyed.Count, bench.Now.Idle));
    }

    // 19: PostHog PR#49745: connections created together expire together, and a storm of handshakes follows.
    [Fact]
    public void Items_created_together_do_not_expire_together()
    {
        var bench = new Workbench(2);
        bench.Options.MaxLifetime = Workbench.Seconds(100);
        bench.Options.LifetimeJitter = 0.5;
        bench.Random.Value = 0;
        var first = bench.Rent();
        bench.Random.Value = 1;
        bench.Return([first, bench.Rent()]);

        bench.Advance(50);
        Assert.Equal(1, bench.Now.Live);
        bench.Advance(50);
        Assert.Equal(0, bench.Now.Live);
    }

    // 22: npgsql#3836, POOL-287, POOL-184: an item is rented during its keep-alive, or its capacity is lost when the keep-alive
    // fails.
    [Fact]
    public void An_item_in_a_keep_alive_cannot_be_rented_and_is_replaced_if_it_is_lost()
    {
        var bench = new Workbench();
        var pings = new Gate<bool>();
        bench.Options.KeepAliveInterval = Workbench.Seconds(10);
        bench.Policy.KeepsAlive = async (_, token) => await pings.WaitAsync(token);
        bench.Fill(1);
        bench.Advance(10);
        Assert.Equal((1, 1), (pings.Waiting, bench.Now.Validating));

        Assert.False(bench.Pool.TryRent(out _));
        var waiting = bench.RequestAsync();
        Assert.False(waiting.IsCompleted);
        pings.Fail(new InvalidOperationException("reset by peer"));
        bench.Run();

        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Equal((2, 1L), (bench.Policy.Created.Count, bench.Now.DestroyedFor(DestroyReason.KeepAliveFailed)));
    }

    private sealed class Listener(Action check) : ResourcePoolObserver
    {
        public override void OnCreated(in ItemCreatedArgs created) => check();

        public override void OnCreateFailed(in ItemCreateFailedArgs failed) => check();

        public override void OnDestroyed(in ItemDestroyedArgs destroyed) => check();

        public override void OnWaitEnded(in WaitEndedArgs ended) => check();

        public override void OnLeakSuspected(in LeakSuspectedArgs suspected) => check();
    }
}
