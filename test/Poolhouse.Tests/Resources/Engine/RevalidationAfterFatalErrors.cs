
namespace Poolhouse.Tests.Resources.Engine;

/// <summary>
/// After a fatal error every item that is as old as the one that encountered it is validated before it is rented again, however
/// recently it was used and also if it was leased at that moment (I15, I19). The clear that follows takes an hour here, so that
/// they are not destroyed first.
/// </summary>
public sealed class RevalidationAfterFatalErrors
{
    private static readonly TimeSpan _slowly = TimeSpan.FromHours(1);

    private readonly Workbench _bench = new(3);
    private readonly List<Part> _validated = [];

    public RevalidationAfterFatalErrors()
    {
        _bench.Random.Value = 0.9;
        _bench.Policy.Validates = (item, _, _) =>
        {
            _validated.Add(item);
            return new ValueTask<bool>(result: true);
        };
    }

    [Theory]
    [InlineData(IdleOrder.Lifo)]
    [InlineData(IdleOrder.Fifo)]
    public void An_item_leased_during_the_error_is_validated_once_after_its_return(IdleOrder order)
    {
        _bench.Options.IdleOrder = order;
        var leases = _bench.Rent(2);
        _bench.Pool.Invalidate(leases[0], _slowly);
        _bench.Return(leases[1]);
        Assert.Empty(_validated);

        _bench.Return(_bench.Rent());
        _bench.Return(_bench.Rent());

        Assert.Equal([_bench.Policy.Created[1]], _validated);
        _bench.AssertBalanced();
    }

    [Fact]
    public void An_item_idle_during_the_error_is_validated_once()
    {
        var leases = _bench.Rent(2);
        _bench.Return(leases[1]);
        _bench.Pool.Invalidate(leases[0], _slowly);

        _bench.Return(_bench.Rent());
        _bench.Return(_bench.Rent());

        Assert.Single(_validated);
    }

    [Fact]
    public async Task An_item_leased_during_the_error_is_validated_before_a_waiter_gets_it()
    {
        var leases = _bench.Rent(3);
        _bench.Pool.Invalidate(leases[0], _slowly);
        var waiting = _bench.RequestAsync();
        _bench.Return(leases[1]);

        Assert.Equal([_bench.Policy.Created[1]], _validated);
        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Same(_bench.Policy.Created[1], (await waiting).Value);
    }

    [Fact]
    public async Task A_dead_item_reaches_no_waiter()
    {
        _bench.Policy.Validates = (_, _, _) => new ValueTask<bool>(result: false);
        var leases = _bench.Rent(3);
        _bench.Pool.Invalidate(leases[0], _slowly);
        var waiting = _bench.RequestAsync();
        _bench.Return(leases[1]);

        Assert.Equal((_bench.Policy.Created[1], DestroyReason.ValidationFailed), Assert.Single(_bench.Policy.Destroyed));
        Assert.Same(_bench.Policy.Created[3], (await waiting).Value);
    }

    [Fact]
    public void A_reset_does_not_count_as_a_validation()
    {
        _bench.Policy.Resets = (_, _) => new ValueTask<bool>(result: true);
        var leases = _bench.Rent(2);
        _bench.Pool.Invalidate(leases[0], _slowly);
        _bench.Return(leases[1]);

        _bench.Rent();

        Assert.Single(_validated);
    }

    [Fact]
    public void A_validation_that_began_before_the_error_does_not_count()
    {
        var answers = new Gate<bool>();
        _bench.Policy.Validates = (_, _, token) => answers.WaitAsync(token);
        _bench.Fill(1);
        _bench.Advance(2);
        var request = _bench.RequestAsync();
        Assert.Equal(1, answers.Waiting);

        _bench.Pool.Invalidate(static _ => true);
        answers.Release(true);
        _bench.Run();
        Assert.Equal((false, 1), (request.IsCompleted, answers.Waiting));
        answers.Release(true);
        _bench.Run();

        Assert.True(request.IsCompletedSuccessfully);
        Assert.Equal(2, answers.Calls);
        _bench.AssertBalanced();
    }

    [Fact]
    public async Task A_keep_alive_that_began_before_the_error_does_not_count()
    {
        var keepAlive = new TaskCompletionSource();
        _bench.Policy.KeepsAlive = (_, _) => new ValueTask(keepAlive.Task);
        _bench.Options.KeepAliveInterval = Workbench.Seconds(60);
        _bench.Fill(1);
        _bench.Advance(61);

        _bench.Pool.Invalidate(static _ => true);
        keepAlive.SetResult();
        _bench.Run();
        var lease = await _bench.RequestAsync();

        Assert.Equal([lease.Value], _validated);
    }

    [Fact]
    public void The_lifetime_of_such_an_item_still_applies()
    {
        _bench.Options.MaxLifetime = Workbench.Seconds(100);
        var leases = _bench.Rent(2);
        _bench.Pool.Invalidate(leases[0], _slowly);
        _bench.Advance(99);
        _bench.Return(leases[1]);
        Assert.Equal(1, _bench.Now.Idle);

        _bench.Advance(1);

        Assert.Equal((0, 1L), (_bench.Now.Idle, _bench.Now.DestroyedFor(DestroyReason.Lifetime)));
    }

    [Fact]
    public void A_clear_reaches_such_an_item()
    {
        var leases = _bench.Rent(2);
        _bench.Pool.Invalidate(leases[0], _slowly);
        _bench.Pool.Clear();
        _bench.Return(leases[1]);

        Assert.Equal(1L, _bench.Now.DestroyedFor(DestroyReason.Cleared));
    }

    [Fact]
    public void Without_a_validation_hook_such_an_item_is_rented_unchecked()
    {
        _bench.Options.ValidateAfterIdle = Timeout.InfiniteTimeSpan;
        var leases = _bench.Rent(2);
        _bench.Pool.Invalidate(leases[0], _slowly);
        _bench.Return(leases[1]);

        Assert.Same(_bench.Policy.Created[1], _bench.Rent().Value);
        Assert.Empty(_validated);
    }
}
