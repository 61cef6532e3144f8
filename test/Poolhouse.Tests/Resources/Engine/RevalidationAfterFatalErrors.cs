
namespace Poolhouse.Tests.Resources.Engine;

/// <summary>
/// After a fatal error every item that is as old as the one that met it is validated before it is rented again, however recently it was used
/// and also if it was leased at that moment (I15, I19). The clear that follows takes an hour here, so that they are not destroyed first.
/// </summary>
public sealed class RevalidationAfterFatalErrors
{
    private static readonly TimeSpan _slowly = TimeSpan.FromHours(1);

    private readonly Workbench _bench = new(3);
    private readonly List<Part> _validated = [];

    public RevalidationAfterFatalErrors()
    {
        _bench.Chance.Value = 0.9;
        _bench.Policy.Validates = (item, _, _) =>
        {
            _validated.Add(item);
            return new ValueTask<bool>(result: true);
        };
    }

    [Theory]
    [InlineData(IdleOrder.Lifo)]
    [InlineData(IdleOrder.Fifo)]
    public void One_that_was_leased_is_validated_after_its_return_once(IdleOrder order)
    {
        _bench.Options.IdleOrder = order;
        var leases = _bench.Rent(2);
        _bench.Pool.Invalidate(leases[0], _slowly);
        _bench.Return(leases[1]);
        Assert.Empty(_validated);

        _bench.Return(_bench.Rent());
        _bench.Return(_bench.Rent());

        Assert.Equal([_bench.Policy.Made[1]], _validated);
        _bench.AssertBalanced();
    }

    [Fact]
    public void One_that_was_idle_is_validated_once()
    {
        var leases = _bench.Rent(2);
        _bench.Return(leases[1]);
        _bench.Pool.Invalidate(leases[0], _slowly);

        _bench.Return(_bench.Rent());
        _bench.Return(_bench.Rent());

        Assert.Single(_validated);
    }

    [Fact]
    public async Task One_that_was_leased_is_validated_before_a_caller_that_waits_gets_it()
    {
        var leases = _bench.Rent(3);
        _bench.Pool.Invalidate(leases[0], _slowly);
        var waiting = _bench.AskAsync();
        _bench.Return(leases[1]);

        Assert.Equal([_bench.Policy.Made[1]], _validated);
        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Same(_bench.Policy.Made[1], (await waiting).Value);
    }

    [Fact]
    public async Task One_that_is_dead_reaches_no_caller_that_waits()
    {
        _bench.Policy.Validates = (_, _, _) => new ValueTask<bool>(result: false);
        var leases = _bench.Rent(3);
        _bench.Pool.Invalidate(leases[0], _slowly);
        var waiting = _bench.AskAsync();
        _bench.Return(leases[1]);

        Assert.Equal((_bench.Policy.Made[1], DestroyReason.ValidationFailed), Assert.Single(_bench.Policy.Destroyed));
        Assert.Same(_bench.Policy.Made[3], (await waiting).Value);
    }

    [Fact]
    public void A_reset_is_no_validation()
    {
        _bench.Policy.Resets = (_, _) => new ValueTask<bool>(result: true);
        var leases = _bench.Rent(2);
        _bench.Pool.Invalidate(leases[0], _slowly);
        _bench.Return(leases[1]);

        _bench.Rent();

        Assert.Single(_validated);
    }

    [Fact]
    public void Its_lifetime_goes_on()
    {
        _bench.Options.MaxLifetime = Workbench.Seconds(100);
        var leases = _bench.Rent(2);
        _bench.Pool.Invalidate(leases[0], _slowly);
        _bench.Pass(99);
        _bench.Return(leases[1]);
        Assert.Equal(1, _bench.Now.Idle);

        _bench.Pass(1);

        Assert.Equal((0, 1L), (_bench.Now.Idle, _bench.Now.DestroyedFor(DestroyReason.Lifetime)));
    }

    [Fact]
    public void A_clear_reaches_it()
    {
        var leases = _bench.Rent(2);
        _bench.Pool.Invalidate(leases[0], _slowly);
        _bench.Pool.Clear();
        _bench.Return(leases[1]);

        Assert.Equal(1L, _bench.Now.DestroyedFor(DestroyReason.Cleared));
    }

    [Fact]
    public void Without_validation_it_is_used_as_it_is()
    {
        _bench.Options.ValidateAfterIdle = Timeout.InfiniteTimeSpan;
        var leases = _bench.Rent(2);
        _bench.Pool.Invalidate(leases[0], _slowly);
        _bench.Return(leases[1]);

        Assert.Same(_bench.Policy.Made[1], _bench.Rent().Value);
        Assert.Empty(_validated);
    }
}
