
namespace Poolhouse.Tests.Regressions;

/// <summary>Bugs that resource pools had when a caller gave up. The numbers identify families of bugs.</summary>
public sealed class CancellationRegressions
{
    // 3: clickhouse-go#1041, MySqlConnector#469, POOL-144, POOL-162: capacity is taken, the caller cancels before the next step,
    // and the capacity is never released.
    [Fact]
    public async Task A_caller_that_cancels_while_its_item_is_validated_loses_no_capacity()
    {
        var bench = new Workbench();
        var validations = new Gate<bool>();
        bench.Policy.Validates = (_, _, token) => validations.WaitAsync(token);
        bench.Fill(1);
        bench.Advance(2);
        using var cancellation = new CancellationTokenSource();
        var cancelled = bench.RequestAsync(cancellation.Token);
        Assert.Equal(1, bench.Now.Validating);

        await cancellation.CancelAsync();
        validations.Release(true);
        bench.Run();

        await Assert.ThrowsAsync<OperationCanceledException>(() => cancelled);
        Assert.Equal((1, 1), (bench.Now.Live, bench.Now.Idle));
        Assert.True(bench.Pool.TryRent(out _));
    }

    // 4: SQLAlchemy#6652 #8145 #12077, psycopg#1208: a cancellation inside rollback or reset leaks the connection.
    [Fact]
    public void A_reset_that_ends_by_cancellation_releases_its_capacity_at_once()
    {
        var bench = new Workbench();
        bench.Policy.Resets = (_, token) => throw new OperationCanceledException(token);
        var lease = bench.Rent();
        var waiting = bench.RequestAsync();

        bench.Return(lease);

        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Equal(1, bench.Now.DestroyedFor(DestroyReason.ResetFailed));
        bench.AssertBalanced();
    }

    // 9: pgx#1259 #1287: no connection is ever created, because each caller gives up before a connect completes.
    [Fact]
    public async Task A_creation_that_outlasts_its_callers_timeout_serves_the_next_caller()
    {
        var bench = new Workbench();
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        for (var i = 0; i < 3; i++)
        {
            var impatient = bench.RequestAsync(Workbench.Seconds(1));
            bench.Advance(1);
            await Assert.ThrowsAsync<PoolTimeoutException>(() => impatient);
        }

        creations.Release(bench.Policy.New());
        bench.Run();

        Assert.Equal(1, creations.Calls);
        Assert.True(bench.Pool.TryRent(out _));
    }

    // 14: npgsql#1232 #5607 #6029, SqlClient#979: callers that block the thread pool's threads keep the return from running that
    // they wait for.
    [Fact]
    public async Task A_blocked_caller_is_served_although_the_thread_pool_is_starved()
    {
        var policy = new ScriptedPolicy();
        policy.CreatesSynchronously = _ => policy.New();
        policy.Resets = (_, _) => new ValueTask<bool>(result: true);
        var pool = new ResourcePool<Part>(policy, new ResourcePoolOptions { MaxSize = 1, Scheduler = new StarvedScheduler() });
        var lease = await Background.Start(() => pool.Rent()).WaitAsync(Background.Limit);

        var blocked = Background.Start(() => pool.Rent());
        Background.Until(() => pool.GetStatistics().Waiting == 1);
        lease.Dispose();

        await blocked.WaitAsync(Background.Limit);
    }

    // 20: HikariCP "Handling database down", POOL-418, POOL-420: validation against a black hole stretches the wait far beyond
    // its timeout.
    [Fact]
    public async Task A_wait_ends_on_time_although_validation_hangs()
    {
        var bench = new Workbench();
        bench.Options.ValidateTimeout = Timeout.InfiniteTimeSpan;
        bench.Policy.Validates = (_, _, token) => new Gate<bool>().WaitAsync(token);
        bench.Fill(1);
        bench.Advance(2);

        var waiting = bench.RequestAsync(Workbench.Seconds(5));
        bench.Advance(4.9);
        Assert.False(waiting.IsCompleted);
        bench.Advance(0.1);

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting);
        Assert.Equal((RentPhase.Validate, Workbench.Seconds(5)), (timeout.Phase, timeout.Elapsed));
    }

    // 24: golang/go#16873: a flow that holds one connection and requests another waits for itself.
    [Fact]
    public async Task A_flow_that_waits_for_an_item_it_holds_itself_gets_an_explanation()
    {
        var bench = new Workbench();
        bench.Options.TrackLeases = true;
        using var held = await bench.RequestAsync();

        var waiting = bench.RequestAsync();
        bench.Advance(30);

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting);
        Assert.Contains("holds 1 of them and waits for another", timeout.Message, StringComparison.Ordinal);
    }
}
