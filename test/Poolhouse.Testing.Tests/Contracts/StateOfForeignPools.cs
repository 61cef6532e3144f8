using Poolhouse.Workers;

namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>
/// A custom pool reports its state and its refusals with the types of this library. These tests have no access to internals.
/// </summary>
public sealed class StateOfForeignPools
{
    private static readonly ResourcePoolStatistics _statistics = new() { MaxSize = 1, Leased = 1 };

    [Fact]
    public void Statistics_count_destroyed_items_by_reason_and_their_sum()
    {
        var now = new ResourcePoolStatistics(
            new Dictionary<DestroyReason, long> { [DestroyReason.Tainted] = 2, [DestroyReason.PoolDisposed] = 3 })
        { Idle = 1 };

        Assert.Equal(
            (2, 3, 0, 5), (now.DestroyedFor(DestroyReason.Tainted), now.DestroyedFor(DestroyReason.PoolDisposed),
                now.DestroyedFor(DestroyReason.Idle), now.Destroyed));
        Assert.Equal(7, new ResourcePoolStatistics([new(DestroyReason.Idle, 3)]) { Destroyed = 7 }.Destroyed);
    }

    [Fact]
    public void Statistics_of_workers_count_destroyed_states_in_the_same_way()
    {
        var now = new WorkerPoolStatistics(
            new Dictionary<WorkerDestroyReason, long>
            {
                [WorkerDestroyReason.Broken] = 2,
                [WorkerDestroyReason.PoolDisposed] = 3,
            });

        Assert.Equal(
            (2, 3, 0, 5), (now.DestroyedFor(WorkerDestroyReason.Broken), now.DestroyedFor(WorkerDestroyReason.PoolDisposed),
                now.DestroyedFor(WorkerDestroyReason.Idle), now.Destroyed));
        Assert.Equal(7, new WorkerPoolStatistics([new(WorkerDestroyReason.Idle, 3)]) { Destroyed = 7 }.Destroyed);
        Assert.Throws<ArgumentNullException>(() => new WorkerPoolStatistics(null!));
        Assert.Throws<ArgumentOutOfRangeException>(() => new WorkerPoolStatistics([new((WorkerDestroyReason)99, 1)]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new WorkerPoolStatistics([new(WorkerDestroyReason.Idle, -1)]));
    }

    [Fact]
    public void Statistics_reject_unknown_reasons_and_negative_counts()
    {
        Assert.Throws<ArgumentNullException>(() => new ResourcePoolStatistics(null!));
        Assert.Throws<ArgumentOutOfRangeException>(() => new ResourcePoolStatistics([new((DestroyReason)99, 1)]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new ResourcePoolStatistics([new((DestroyReason)(-1), 1)]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new ResourcePoolStatistics([new(DestroyReason.Idle, -1)]));
    }

    [Fact]
    public void Each_refusal_carries_the_state_that_it_was_created_with()
    {
        var cause = new InvalidOperationException("cause");
        var leases = new[] { new LeaseSnapshot { ItemNumber = 3 } };
        var timeout =
            new PoolTimeoutException("No item.", "mine", RentPhase.Room, TimeSpan.FromSeconds(1), _statistics, leases, cause);
        var overload = new PoolOverloadedException("Too many.", "mine", TimeSpan.FromSeconds(1), _statistics);
        var outage = new PoolUnavailableException(
            "Not now.", "mine", TimeSpan.FromSeconds(1),
            new PoolOutage(DateTimeOffset.UnixEpoch, TimeSpan.FromSeconds(3), cause, TimeSpan.FromSeconds(2)), _statistics);

        Assert.Equal((RentPhase.Room, leases, cause), (timeout.Phase, timeout.OldestLeases, timeout.InnerException));
        Assert.Equal(
            (TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(3), cause),
            (outage.RetryAfter, outage.OutageDuration, outage.InnerException));
        Assert.All<IPoolException>(
            [timeout, overload, outage],
            refusal => Assert.Equal(
                ("mine", TimeSpan.FromSeconds(1), _statistics), (refusal.PoolName, refusal.Elapsed, refusal.Statistics)));
        Assert.Equal(
            ["No item.", "Too many.", "Not now."],
            new Exception[] { timeout, overload, outage }.Select(refusal => refusal.Message));
    }

    [Fact]
    public void A_refusal_needs_a_name_and_statistics()
    {
        var outage = new PoolOutage(default, default, new InvalidOperationException("down"), default);
        Assert.Empty(new PoolTimeoutException("No item.", "mine", RentPhase.Return, TimeSpan.Zero, _statistics).OldestLeases);
        Assert.Throws<ArgumentNullException>(
            () => new PoolTimeoutException("No item.", null!, RentPhase.Return, TimeSpan.Zero, _statistics));
        Assert.Throws<ArgumentNullException>(
            () => new PoolTimeoutException("No item.", "mine", RentPhase.Return, TimeSpan.Zero, null!));
        Assert.Throws<ArgumentNullException>(() => new PoolOverloadedException("Too many.", null!, TimeSpan.Zero, _statistics));
        Assert.Throws<ArgumentNullException>(() => new PoolOverloadedException("Too many.", "mine", TimeSpan.Zero, null!));
        Assert.Throws<ArgumentNullException>(
            () => new PoolUnavailableException("Not now.", null!, TimeSpan.Zero, outage, _statistics));
        Assert.Throws<ArgumentNullException>(
            () => new PoolUnavailableException("Not now.", "mine", TimeSpan.Zero, null!, _statistics));
        Assert.Throws<ArgumentNullException>(
            () => new PoolUnavailableException("Not now.", "mine", TimeSpan.Zero, outage, null!));
        Assert.Throws<ArgumentNullException>(() => new PoolOutage(default, default, null!, default));
    }
}
