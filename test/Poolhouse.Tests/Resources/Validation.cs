
namespace Poolhouse.Tests.Resources;

public sealed class Validation
{
    [Fact]
    public void An_item_is_validated_only_after_ValidateAfterIdle()
    {
        var bench = new Workbench();
        var validated = 0;
        bench.Policy.Validates = (_, _, _) =>
        {
            validated++;
            return new ValueTask<bool>(result: true);
        };
        bench.Fill(1);
        bench.Advance(0.9);
        bench.Return(bench.Rent());
        Assert.Equal(0, validated);

        bench.Advance(1);
        bench.Return(bench.Rent());
        Assert.Equal(1, validated);
    }

    [Fact]
    public void The_policy_receives_age_and_idle_time_of_the_item()
    {
        var bench = new Workbench();
        LeaseInfo? seen = null;
        bench.Policy.Validates = (_, info, _) =>
        {
            seen = info;
            return new ValueTask<bool>(result: true);
        };
        var lease = bench.Rent();
        bench.Advance(3);
        bench.Return(lease);
        bench.Advance(4);

        var again = bench.Rent();

        Assert.Equal(new LeaseInfo(1, Workbench.Seconds(7), Workbench.Seconds(4), 1), seen);
        Assert.Equal(new LeaseInfo(2, Workbench.Seconds(7), Workbench.Seconds(4), 1), again.Info);
    }

    [Theory]
    [InlineData("refuses")]
    [InlineData("throws")]
    [InlineData("throws later")]
    public void An_item_that_fails_is_replaced_and_its_caller_sees_no_error(string how)
    {
        var bench = new Workbench();
        bench.Policy.Validates = (_, _, _) => how switch
        {
            "refuses" => new ValueTask<bool>(result: false),
            "throws" => throw new InvalidOperationException(),
            _ => ValueTask.FromException<bool>(new InvalidOperationException()),
        };
        bench.Fill(1);
        bench.Advance(2);

        Assert.Equal(2, bench.Rent().Value.Number);
        Assert.Equal(1, bench.Now.DestroyedFor(DestroyReason.ValidationFailed));
        bench.AssertBalanced();
    }

    [Fact]
    public void A_validation_that_hangs_is_abandoned_and_its_item_replaced()
    {
        var bench = new Workbench();
        var validations = new Gate<bool>();
        bench.Policy.Validates = (_, _, token) => validations.WaitAsync(token);
        bench.Fill(1);
        bench.Advance(2);
        var waiting = bench.RequestAsync();

        bench.Advance(5);
        Assert.True(validations.Token.IsCancellationRequested);
        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Equal((1L, 1L), (bench.Now.Abandoned, bench.Now.DestroyedFor(DestroyReason.ValidationFailed)));

        // Its result no longer has an effect.
        validations.Release(true);
        bench.Run();
        bench.AssertBalanced();
        Assert.Equal((1, 1L), (bench.Now.Live, bench.Now.Leased));
    }

    [Fact]
    public void A_broken_item_is_found_on_rent()
    {
        var bench = new Workbench(2);
        bench.Policy.IsBrokenHook = part => part.Number == 2 ? throw new InvalidOperationException() : part.IsBroken;
        var leases = bench.Rent(2);
        var first = leases[0].Value;
        bench.Return(leases);
        Assert.Equal(1, bench.Now.DestroyedFor(DestroyReason.Broken));
        first.IsBroken = true;

        Assert.False(bench.Pool.TryRent(out _));
        bench.Run();

        Assert.Equal((0, 2L), (bench.Now.Live, bench.Now.DestroyedFor(DestroyReason.Broken)));
    }

    [Fact]
    public void TryRent_starts_a_validation_but_never_waits_for_it()
    {
        var bench = new Workbench();
        bench.Policy.Validates = (_, _, _) => new ValueTask<bool>(result: true);
        bench.Fill(1);
        bench.Advance(2);

        Assert.False(bench.Pool.TryRent(out var lease));
        Assert.False(lease.IsActive);
        bench.Run();
        Assert.True(bench.Pool.TryRent(out _));
    }

    [Fact]
    public void The_time_of_a_reset_is_not_idle_time()
    {
        var bench = new Workbench();
        var resets = new Gate<bool>();
        var validations = 0;
        bench.Policy.Validates = (_, _, _) => new ValueTask<bool>(validations++ == 0);
        bench.Policy.Resets = (_, token) => resets.WaitAsync(token);
        bench.Return(bench.Rent());

        // ValidateAfterIdle is 1 s.
        bench.Advance(2);
        resets.Release(true);
        bench.Run();

        Assert.True(bench.Pool.TryRent(out var lease));
        Assert.Equal(0, validations);
        lease.Dispose();
    }
}
