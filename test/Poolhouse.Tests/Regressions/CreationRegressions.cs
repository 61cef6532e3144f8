
namespace Poolhouse.Tests.Regressions;

/// <summary>Bugs that resource pools had when they created items. The numbers identify families of bugs.</summary>
public sealed class CreationRegressions
{
    // 5: node-postgres#3543, go-sql-driver/mysql#1023: an abandoned connect leaves an untracked session open.
    [Fact]
    public void An_item_whose_creation_was_abandoned_is_destroyed_when_it_arrives()
    {
        var bench = new Workbench();
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        _ = bench.RequestAsync(Workbench.Seconds(1));
        bench.Advance(16);
        Assert.Equal(1, bench.Now.Abandoned);
        var late = bench.Policy.New();

        creations.Release(late);
        bench.Run();

        Assert.Equal((late, DestroyReason.CreatedTooLate), Assert.Single(bench.Policy.Destroyed));
        Assert.Equal(1, bench.Now.DestroyedFor(DestroyReason.CreatedTooLate));
        bench.AssertBalanced();
    }

    // 6: puddle 1.1.3, POOL-133, POOL-243, npgsql#1761 #3004: a failed creation loses its capacity or does not wake the next
    // waiter.
    [Fact]
    public void A_failed_creation_releases_its_capacity_and_is_retried_for_the_waiters()
    {
        var bench = new Workbench();
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        var waiting = bench.RequestAsync();
        creations.Fail(new InvalidOperationException("down"));
        bench.Run();
        Assert.Equal(0, bench.Now.Live);

        bench.Advance(1);
        creations.Release(bench.Policy.New());
        bench.Run();

        Assert.True(waiting.IsCompletedSuccessfully);
    }

    // 7: bb8#167 #194, POOL-240, POOL-424: a broken item is destroyed while callers wait, and is not replaced.
    [Fact]
    public void An_item_destroyed_while_others_wait_is_replaced()
    {
        var bench = new Workbench();
        bench.Policy.IsBrokenHook = part => part.IsBroken;
        var lease = bench.Rent();
        var waiting = bench.RequestAsync();
        lease.Value.IsBroken = true;

        bench.Return(lease);

        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Equal((2, 1), (bench.Policy.Created.Count, bench.Policy.Destroyed.Count));
    }

    // 8: bb8#221, psycopg#1176, sqlx#3132: each caller that arrives and gives up starts another creation.
    [Fact]
    public void Twenty_callers_that_give_up_one_after_another_start_one_creation()
    {
        var bench = new Workbench(20);
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        for (var i = 0; i < 20; i++)
        {
            _ = bench.RequestAsync(Workbench.Seconds(0.1));
            bench.Advance(0.1);
        }

        Assert.Equal((1, 20L), (creations.Calls, bench.Now.Timeouts));
    }

    // 10: HikariCP#2161 #2186 #2274, SqlClient#1298: the only creating thread is stuck in the driver, and the pool stays empty
    // forever.
    [Fact]
    public void A_creation_that_never_completes_is_replaced_at_its_deadline()
    {
        var bench = new Workbench();
        var creations = new Gate<Part>();
        bench.Policy.Creates =
            token => creations.Calls == 0 ? creations.WaitAsync(token) : new ValueTask<Part>(bench.Policy.New());
        var waiting = bench.RequestAsync();

        bench.Advance(14.9);
        Assert.False(creations.Token.IsCancellationRequested);
        bench.Advance(1);

        Assert.True(creations.Token.IsCancellationRequested);
        Assert.True(waiting.IsCompletedSuccessfully);
    }

    // 19: porsager/postgres#1179: after an outage the pool retries without a pause; HikariCP and others: all instances at once.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void During_an_outage_one_creation_is_retried_at_growing_intervals_unless_callers_wait(bool callersWait)
    {
        var bench = new Workbench(8);
        var attempts = new List<double>();
        bench.Policy.Creates = _ =>
        {
            attempts.Add(bench.Clock.GetTimestamp() / (double)TimeSpan.TicksPerSecond);
            throw new InvalidOperationException("down");
        };
        bench.Options.MaxConcurrentCreates = 1;
        bench.Options.MinIdle = 1;
        bench.Options.RetryDelay = Workbench.Seconds(1);
        bench.Options.OutageTimeout = Timeout.InfiniteTimeSpan;
        bench.Run();
        _ = Enumerable.Range(0, callersWait ? 8 : 0).Select(_ => bench.RequestAsync()).ToList();

        for (var second = 0; second < 29; second++)
        {
            bench.Advance(1);
        }

        double[] grown = [0, 1, 3, 7, 15, 25];
        double[] steady = [.. Enumerable.Range(0, 59).Select(static attempt => attempt / 2.0)];
        Assert.Equal(callersWait ? steady : grown, attempts.Select(time => Math.Round(time, 1)));
    }

    // 23: puddle 1.1.1 and 2.0.1, psycopg#784: cleared while it is made, the item serves on although it is made from what was
    // cleared.
    [Fact]
    public async Task An_item_whose_creation_began_before_a_clear_is_not_rented()
    {
        var bench = new Workbench();
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        var waiting = bench.RequestAsync();
        bench.Pool.Clear();

        creations.Release(bench.Policy.New());
        bench.Run();
        Assert.False(waiting.IsCompleted);
        creations.Release(bench.Policy.New());
        bench.Run();

        Assert.Equal(2, (await waiting).Value.Number);
        Assert.Equal(1, bench.Now.DestroyedFor(DestroyReason.Cleared));
        bench.AssertBalanced();
    }

    // 28: Npgsql and SqlClient: a timer or task keeps the ExecutionContext of the first caller alive.
    [Fact]
    public async Task A_creation_does_not_run_in_the_context_of_the_caller_that_caused_it()
    {
        var user = new AsyncLocal<string> { Value = "first caller" };
        string? seen = "nothing";
        var policy = new ScriptedPolicy();
        policy.Creates = _ =>
        {
            seen = user.Value;
            return new ValueTask<Part>(policy.New());
        };
        await using var pool = new ResourcePool<Part>(policy, new ResourcePoolOptions { MaxSize = 1 });

        (await pool.RentAsync()).Dispose();

        Assert.Null(seen);
    }
}
