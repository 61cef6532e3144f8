
namespace Poolhouse.Tests.Resources.Engine;

/// <summary>
/// A validation or reset that has used up a quarter of its timeout may hang: callers that wait get another item beside it, if
/// there is one or capacity for one (I7, I10).
/// </summary>
public sealed class SlowChecks
{
    private readonly Gate<bool> _checks = new();

    [Fact]
    public void A_caller_gets_a_new_item_while_a_validation_hangs()
    {
        var bench = NewBench(maxSize: 2, idle: 1);
        var request = bench.RequestAsync();
        bench.Advance(1);
        Assert.Equal((1, false, 0), (_checks.Waiting, request.IsCompleted, bench.Now.Creating));

        bench.Advance(0.5);
        Assert.Equal(2, PartOf(request));

        // The check passes after all.
        _checks.Release(result: true);
        bench.Run();
        Assert.Equal((1, 2), (bench.Now.Idle, bench.Now.Live));
        bench.AssertBalanced();
    }

    [Fact]
    public void A_caller_gets_another_idle_item_while_a_validation_hangs()
    {
        var bench = NewBench(maxSize: 2, idle: 2);
        var request = bench.RequestAsync();
        bench.Advance(1);
        var second = new TaskCompletionSource<bool>();
        bench.Policy.Validates = (_, _, _) => new ValueTask<bool>(second.Task);
        bench.Advance(0.5);
        Assert.Equal(2, bench.Now.Validating);

        // The second passes, the first still hangs.
        Assert.False(request.IsCompleted);
        second.SetResult(true);
        bench.Run();
        Assert.True(request.IsCompletedSuccessfully, "The caller was not served.");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Items_cleared_by_a_timed_out_check_are_not_checked_themselves(bool throws)
    {
        var bench = NewBench(maxSize: 9, idle: 8);
        bench.Policy.ValidationAbandoned = _ =>
        {
            bench.Pool.Clear(static _ => true);
            if (throws)
            {
                throw new InvalidOperationException("The policy fails.");
            }
        };
        var request = bench.RequestAsync();
        bench.Advance(bench.Options.ValidateTimeout.TotalSeconds);

        Assert.Equal(9, PartOf(request));
        Assert.InRange(_checks.Waiting, 1, 4);
        Assert.Equal(8 - _checks.Waiting, bench.Policy.Destroyed.Count(part => part.Reason == DestroyReason.Cleared));
    }

    [Fact]
    public void A_caller_gets_a_new_item_while_a_reset_hangs()
    {
        var bench = NewBench(maxSize: 2, idle: 0);
        bench.Policy.Resets = (_, token) => _checks.WaitAsync(token);
        var lease = bench.Rent();
        bench.Return(lease);
        var request = bench.RequestAsync();
        bench.Advance(1);
        Assert.Equal((1, false, 0), (_checks.Waiting, request.IsCompleted, bench.Now.Creating));
        bench.Advance(0.5);
        Assert.Equal(2, PartOf(request));
        _checks.Release(result: true);
        bench.Run();
        bench.AssertBalanced();
    }

    [Fact]
    public void A_late_caller_relies_on_a_pending_check_no_longer_than_any_other()
    {
        var bench = NewBench(maxSize: 2, idle: 1);
        bench.Options.ValidateTimeout = Workbench.Seconds(20);
        bench.Pool.Reconfigure(bench.Options);
        var first = bench.RequestAsync(Workbench.Seconds(1));
        bench.Advance(4);
        Assert.True(first.IsFaulted);
        var late = bench.RequestAsync();
        bench.Advance(5.5);
        Assert.Equal(2, PartOf(late));
    }

    [Theory]
    [InlineData(15, 4)]
    [InlineData(60, 15)]
    public void Without_a_timeout_a_check_is_slow_after_a_quarter_of_CreateTimeout(double createTimeout, double slowAfter)
    {
        var bench = NewBench(maxSize: 2, idle: 1);
        bench.Options.ValidateTimeout = Timeout.InfiniteTimeSpan;
        bench.Options.CreateTimeout = Workbench.Seconds(createTimeout);
        bench.Pool.Reconfigure(bench.Options);
        var request = bench.RequestAsync();
        bench.Advance(slowAfter - 0.5);
        Assert.False(request.IsCompleted);
        bench.Advance(1);
        Assert.Equal(2, PartOf(request));
    }

    [Fact]
    public void In_a_full_pool_a_caller_keeps_waiting_for_a_slow_check()
    {
        var bench = NewBench(maxSize: 1, idle: 1);
        var request = bench.RequestAsync();
        bench.Advance(3);
        Assert.Equal((false, 1), (request.IsCompleted, bench.Now.Live));
        _checks.Release(result: true);
        bench.Run();
        Assert.Equal(1, PartOf(request));
    }

    [Fact]
    public void A_pool_that_fails_fast_rejects_callers_whose_only_item_hangs_in_a_check()
    {
        var bench = NewBench(maxSize: 2, idle: 1);
        bench.Policy.Creates = static _ => throw new InvalidOperationException("The server is away.");
        bench.Options.OutageTimeout = TimeSpan.Zero;
        bench.Options.RetryDelay = bench.Options.MaxRetryDelay = Workbench.Seconds(100);
        bench.Pool.Reconfigure(bench.Options);
        var relies = bench.RequestAsync();
        var fails = bench.RequestAsync();
        bench.Advance(1);
        Assert.True(relies.IsFaulted || fails.IsFaulted);
        bench.Advance(0.5);
        Assert.True(relies.IsFaulted && fails.IsFaulted);
        Assert.Equal((0, 1), (bench.Now.Waiting, bench.Now.Validating));
    }

    private static int PartOf(Task<Lease<Part>> request)
    {
        Assert.True(request.IsCompletedSuccessfully, "The caller was not served.");
        return request.Result.Value.Number;
    }

    /// <summary>
    /// A pool with idle items that must be validated, which lasts until the test ends it. ValidateTimeout and ResetTimeout are 5
    /// seconds.
    /// </summary>
    private Workbench NewBench(int maxSize, int idle)
    {
        var bench = new Workbench(maxSize);
        bench.Policy.Validates = (_, _, token) => _checks.WaitAsync(token);
        bench.Policy.Resets = static (_, _) => new ValueTask<bool>(result: true);
        bench.Options.ValidateAfterIdle = Workbench.Seconds(1);
        bench.Fill(idle);
        bench.Advance(2);
        return bench;
    }
}
