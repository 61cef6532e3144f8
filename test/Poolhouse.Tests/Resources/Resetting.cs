
namespace Poolhouse.Tests.Resources;

public sealed class Resetting
{
    private readonly Gate<bool> _resets = new();

    [Fact]
    public void A_return_does_not_wait_for_the_reset_and_the_capacity_is_held()
    {
        var bench = NewBench();
        var lease = bench.Rent();

        lease.Dispose();
        Assert.Equal((1, 1, 0), (bench.Now.Live, bench.Now.Resetting, bench.Now.Idle));
        bench.Run();
        Assert.False(bench.Pool.TryRent(out _));
        _resets.Release(true);
        bench.Run();

        Assert.True(bench.Pool.TryRent(out _));
    }

    [Fact]
    public void An_item_that_needs_no_reset_is_idle_at_once()
    {
        var bench = NewBench();
        bench.Policy.NeedsResetHook = _ => false;

        bench.Rent().Dispose();

        Assert.Equal((1, 0, 1), (bench.Now.Live, bench.Now.Resetting, bench.Now.Idle));
        Assert.Equal(0, _resets.Calls);
    }

    [Fact]
    public void An_item_whose_NeedsReset_throws_is_reset()
    {
        var bench = NewBench();
        bench.Policy.NeedsResetHook = _ => throw new InvalidOperationException("unknown");

        bench.Rent().Dispose();

        Assert.Equal((1, 1, 0), (bench.Now.Live, bench.Now.Resetting, bench.Now.Idle));
    }

    [Fact]
    public void Asynchronous_disposal_completes_at_once_unless_it_is_configured_to_wait()
    {
        var bench = NewBench();
        var disposal = bench.Rent().DisposeAsync();

        Assert.True(disposal.IsCompleted);
    }

    [Fact]
    public void Asynchronous_disposal_waits_for_the_reset_if_it_is_configured_to()
    {
        var bench = NewBench();
        bench.Options.AwaitReset = true;
        var disposal = bench.Rent().DisposeAsync().AsTask();
        bench.Run();
        Assert.False(disposal.IsCompleted);

        _resets.Release(true);
        bench.Run();

        Background.Until(() => disposal.IsCompleted);
        Assert.Equal(1, bench.Now.Idle);
    }

    [Fact]
    public void Asynchronous_disposal_ends_at_the_deadline_of_a_reset_that_hangs()
    {
        var bench = NewBench();
        bench.Options.AwaitReset = true;
        var disposal = bench.Rent().DisposeAsync().AsTask();
        bench.Run();

        bench.Advance(5);

        Background.Until(() => disposal.IsCompletedSuccessfully);
        Assert.True(_resets.Token.IsCancellationRequested);
        Assert.Equal(DestroyReason.ResetFailed, Assert.Single(bench.Policy.Destroyed).Reason);
        bench.AssertBalanced();
    }

    [Fact]
    public void A_reset_item_goes_to_the_waiting_caller()
    {
        var bench = NewBench();
        var lease = bench.Rent();
        var waiting = bench.RequestAsync();
        bench.Return(lease);
        Assert.False(waiting.IsCompleted);

        _resets.Release(true);
        bench.Run();

        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Equal(1, bench.Now.Created);
    }

    [Fact]
    public void A_tainted_item_is_destroyed_without_a_reset()
    {
        var bench = NewBench();
        var lease = bench.Rent();
        lease.Taint();
        bench.Return(lease);

        Assert.Equal((0, DestroyReason.Tainted), (_resets.Calls, Assert.Single(bench.Policy.Destroyed).Reason));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_tainted_item_is_kept_only_if_the_policy_proves_it_clean(bool clean)
    {
        var bench = new Workbench();
        var proofs = 0;
        bench.Policy.ProvesClean = (_, _) =>
        {
            proofs++;
            return new ValueTask<bool>(clean);
        };
        var lease = bench.Rent();
        lease.Taint();
        bench.Return(lease);

        Assert.Equal(clean ? 1 : 0, bench.Now.Idle);
        Assert.Equal(clean ? 0 : 1, bench.Now.DestroyedFor(DestroyReason.Tainted));

        // The taint of the last lease does not carry over to the next one.
        bench.Return(bench.Rent());
        Assert.Equal((1, 1), (bench.Now.Idle, proofs));
    }

    [Fact]
    public void A_proof_that_throws_counts_as_tainted()
    {
        var bench = new Workbench();
        bench.Policy.ProvesClean = static (_, _) => throw new IOException("The connection is lost.");
        var lease = bench.Rent();
        lease.Taint();
        bench.Return(lease);

        Assert.Equal((1L, 0L), (bench.Now.DestroyedFor(DestroyReason.Tainted), bench.Now.Refused));
    }

    [Fact]
    public void A_proof_that_hangs_counts_as_tainted()
    {
        var bench = new Workbench();
        bench.Policy.ProvesClean = (_, token) => _resets.WaitAsync(token);
        var lease = bench.Rent();
        lease.Taint();
        bench.Return(lease);

        bench.Advance(5);

        Assert.Equal((0, 1L), (bench.Now.Live, bench.Now.DestroyedFor(DestroyReason.Tainted)));
    }

    [Fact]
    public void An_item_that_expires_during_its_reset_is_destroyed()
    {
        var bench = NewBench();
        bench.Return(bench.Rent());
        bench.Pool.Clear();
        _resets.Release(true);
        bench.Run();

        Assert.Equal(DestroyReason.Cleared, Assert.Single(bench.Policy.Destroyed).Reason);
    }

    [Fact]
    public void The_next_user_gets_another_object_for_an_item_that_was_reset()
    {
        var bench = NewBench();
        Part? renewed = null;
        bench.Policy.Renews = _ => renewed = bench.Policy.New();
        var first = bench.Rent();
        bench.Return(first);
        Assert.Null(renewed);
        _resets.Release(true);
        bench.Run();

        var next = bench.Rent();

        Assert.Same(renewed, next.Value);
        Assert.Equal((1, 0), (bench.Now.Live, bench.Policy.Destroyed.Count));
        next.Discard();
        bench.Run();
        Assert.Same(renewed, Assert.Single(bench.Policy.Destroyed).Part);
    }

    [Fact]
    public void A_renewal_that_throws_counts_as_a_failed_reset_of_the_item()
    {
        var bench = NewBench();
        bench.Policy.Renews = static _ => throw new IOException("The connection is lost.");
        var lease = bench.Rent();
        var item = lease.Value;
        bench.Return(lease);
        _resets.Release(true);
        bench.Run();

        Assert.Equal((item, DestroyReason.ResetFailed), Assert.Single(bench.Policy.Destroyed));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Nothing_is_renewed_without_a_reset_or_after_a_failed_one(bool resets)
    {
        var bench = NewBench();
        var renewals = 0;
        bench.Policy.NeedsResetHook = _ => resets;
        bench.Policy.Renews = part =>
        {
            renewals++;
            return part;
        };
        bench.Return(bench.Rent());
        if (resets)
        {
            _resets.Release(false);
            bench.Run();
        }

        Assert.Equal((0, resets ? 0 : 1), (renewals, bench.Now.Idle));
    }

    private Workbench NewBench()
    {
        var bench = new Workbench();
        bench.Policy.Resets = (_, token) => _resets.WaitAsync(token);
        return bench;
    }
}
