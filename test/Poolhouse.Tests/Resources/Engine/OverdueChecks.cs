
namespace Poolhouse.Tests.Resources.Engine;

/// <summary>
/// A validation or reset that has used up a quarter of its timeout may hang: callers that wait get another item beside it, if
/// there is one or capacity for one (I7, I10).
/// </summary>
public sealed class OverdueChecks
{
    private readonly Gate<bool> _checks = new();

    [Fact]
    public void A_caller_gets_a_new_item_while_a_validation_hangs()
    {
        var bench = NewBench(maxSize: 2, idle: 1);
        var asked = bench.AskAsync();
        bench.Pass(1);
        Assert.Equal((1, false, 0), (_checks.Waiting, asked.IsCompleted, bench.Now.Creating));

        bench.Pass(0.5);
        Assert.Equal(2, PartOf(asked));

        // The check passes after all.
        _checks.Let(result: true);
        bench.Run();
        Assert.Equal((1, 2), (bench.Now.Idle, bench.Now.Live));
        bench.AssertBalanced();
    }

    [Fact]
    public void A_caller_gets_another_idle_item_while_a_validation_hangs()
    {
        var bench = NewBench(maxSize: 2, idle: 2);
        var asked = bench.AskAsync();
        bench.Pass(1);
        var second = new TaskCompletionSource<bool>();
        bench.Policy.Validates = (_, _, _) => new ValueTask<bool>(second.Task);
        bench.Pass(0.5);
        Assert.Equal(2, bench.Now.Validating);

        // The second passes, the first still hangs.
        Assert.False(asked.IsCompleted);
        second.SetResult(true);
        bench.Run();
        Assert.True(asked.IsCompletedSuccessfully, "The caller was not served.");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Items_retired_by_a_timed_out_check_are_not_checked_themselves(bool throws)
    {
        var bench = NewBench(maxSize: 9, idle: 8);
        bench.Policy.Condemns = _ =>
        {
            bench.Pool.Clear(static _ => true);
            if (throws)
            {
                throw new InvalidOperationException("The policy fails.");
            }
        };
        var asked = bench.AskAsync();
        bench.Pass(bench.Options.ValidateTimeout.TotalSeconds);

        Assert.Equal(9, PartOf(asked));
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
        var asked = bench.AskAsync();
        bench.Pass(1);
        Assert.Equal((1, false, 0), (_checks.Waiting, asked.IsCompleted, bench.Now.Creating));
        bench.Pass(0.5);
        Assert.Equal(2, PartOf(asked));
        _checks.Let(result: true);
        bench.Run();
        bench.AssertBalanced();
    }

    [Fact]
    public void A_late_caller_relies_on_a_pending_check_no_longer_than_any_other()
    {
        var bench = NewBench(maxSize: 2, idle: 1);
        bench.Options.ValidateTimeout = Workbench.Seconds(20);
        bench.Pool.Reconfigure(bench.Options);
        var first = bench.AskAsync(Workbench.Seconds(1));
        bench.Pass(4);
        Assert.True(first.IsFaulted);
        var late = bench.AskAsync();
        bench.Pass(5.5);
        Assert.Equal(2, PartOf(late));
    }

    [Theory]
    [InlineData(15, 4)]
    [InlineData(60, 15)]
    public void Without_a_timeout_a_check_is_overdue_after_a_quarter_of_CreateTimeout(double createTimeout, double overdueAfter)
    {
        var bench = NewBench(maxSize: 2, idle: 1);
        bench.Options.ValidateTimeout = Timeout.InfiniteTimeSpan;
        bench.Options.CreateTimeout = Workbench.Seconds(createTimeout);
        bench.Pool.Reconfigure(bench.Options);
        var asked = bench.AskAsync();
        bench.Pass(overdueAfter - 0.5);
        Assert.False(asked.IsCompleted);
        bench.Pass(1);
        Assert.Equal(2, PartOf(asked));
    }

    [Fact]
    public void In_a_full_pool_a_caller_keeps_waiting_for_a_slow_check()
    {
        var bench = NewBench(maxSize: 1, idle: 1);
        var asked = bench.AskAsync();
        bench.Pass(3);
        Assert.Equal((false, 1), (asked.IsCompleted, bench.Now.Live));
        _checks.Let(result: true);
        bench.Run();
        Assert.Equal(1, PartOf(asked));
    }

    [Fact]
    public void A_pool_that_fails_fast_rejects_callers_whose_only_item_hangs_in_a_check()
    {
        var bench = NewBench(maxSize: 2, idle: 1);
        bench.Policy.Creates = static _ => throw new InvalidOperationException("The server is away.");
        bench.Options.CreateFailure = CreateFailureMode.FailFast;
        bench.Options.RetryDelay = bench.Options.MaxRetryDelay = Workbench.Seconds(100);
        bench.Pool.Reconfigure(bench.Options);
        var relies = bench.AskAsync();
        var fails = bench.AskAsync();
        bench.Pass(1);
        Assert.True(relies.IsFaulted || fails.IsFaulted);
        bench.Pass(0.5);
        Assert.True(relies.IsFaulted && fails.IsFaulted);
        Assert.Equal((0, 1), (bench.Now.Waiting, bench.Now.Validating));
    }

    private static int PartOf(Task<Lease<Part>> asked)
    {
        Assert.True(asked.IsCompletedSuccessfully, "The caller was not served.");
        return asked.Result.Value.Number;
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
        bench.Pass(2);
        return bench;
    }
}
