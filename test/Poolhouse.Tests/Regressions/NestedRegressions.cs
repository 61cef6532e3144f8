
namespace Poolhouse.Tests.Regressions;

/// <summary>Bugs that pools had, reproduced on nested pools. The numbers identify families of bugs.</summary>
public sealed class NestedRegressions
{
    // 3: clickhouse-go#1041, MySqlConnector#469, POOL-144: a permit is taken, its taker is cancelled before the next step, and
    // it is lost.
    [Fact]
    public async Task A_creation_abandoned_at_any_step_releases_its_capacity()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        var (parents, children) = (new Gate<Part>(), new Gate<Leaf>());
        bench.Parents.Creates = parents.WaitAsync;
        bench.Children.Creates = (_, _) => children.WaitAsync(CancellationToken.None);
        bench.Options.ParentPool.CreateTimeout = TimeSpan.FromMinutes(10);
        bench.Options.ChildPool.OutageTimeout = Timeout.InfiniteTimeSpan;

        // Abandoned while it waits for a parent; then, with a parent, while the child is created.
        var first = bench.Pool.RentAsync(TimeSpan.FromSeconds(20)).AsTask();
        Background.Until(() => parents.Waiting == 1);
        bench.AdvanceUntil(() => first.IsCompleted, TimeSpan.FromSeconds(1), steps: 21);
        await Assert.ThrowsAsync<PoolUnavailableException>(() => first);
        parents.Release(bench.Parents.New());
        var second = bench.Pool.RentAsync(TimeSpan.FromSeconds(20)).AsTask();
        bench.AdvanceUntil(() => children.Waiting > 0, TimeSpan.FromSeconds(1), steps: 15);
        bench.AdvanceUntil(() => second.IsCompleted, TimeSpan.FromSeconds(1), steps: 21);
        await Assert.ThrowsAsync<PoolUnavailableException>(() => second);
        bench.Children.Creates = null;
        bench.AdvanceUntil(() => bench.Now.Creating == 0, TimeSpan.FromSeconds(1), steps: 40);

        var leases = new[] { bench.RequestAsync(), bench.RequestAsync() };
        bench.AdvanceUntil(() => Array.TrueForAll(leases, lease => lease.IsCompleted), TimeSpan.FromSeconds(1), steps: 29);
        Assert.Equal(2, (await Task.WhenAll(leases)).Count(lease => lease.IsActive));
        bench.AssertPermitsAreConserved();
    }

    // 10: HikariCP#2161 #2186, SqlClient#1298: the creating thread is stuck in the driver, and the pool stays empty forever.
    [Fact]
    public async Task A_parent_whose_creation_hangs_is_abandoned_and_another_one_created()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var creating = new Gate<Part>();
        bench.Parents.Creates = _ => creating.WaitAsync(CancellationToken.None);
        var waiting = bench.RequestAsync();
        Background.Until(() => creating.Waiting == 1);
        bench.Parents.Creates = null;

        bench.AdvanceUntil(() => waiting.IsCompleted, TimeSpan.FromSeconds(1), steps: 29);

        Assert.Equal(1, (await waiting.WaitAsync(Background.Limit)).Value.Parent.Number);
        creating.Release(bench.Parents.New());
        Assert.Equal((2, DestroyReason.CreatedTooLate), bench.DestroyedParents(1)[0]);
        bench.AssertPermitsAreConserved();
    }

    // 13: npgsql#3719 #3721 #3863, SqlClient PR#3653: capacity is lost bit by bit, until the pool is smaller than configured.
    [Fact]
    public async Task All_capacity_is_released_however_a_child_ends()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2)
        {
            Parents = { IsBrokenHook = part => part.IsBroken },
            Children = { IsBrokenHook = leaf => leaf.IsBroken },
        };
        Action<Lease<Leaf>>[] ends =
        [
            lease => lease.Dispose(),
            lease => lease.Discard(),
            lease => lease.Detach(),
            lease => lease.Taint(),
            lease => lease.Value.IsBroken = true,
            lease => lease.Value.Parent.IsBroken = true,
            lease => bench.Pool.Invalidate(lease),
            _ => bench.Pool.Clear(),
        ];
        for (var round = 0; round < 3; round++)
        {
            foreach (var end in ends)
            {
                var lease = await bench.RentAsync();
                end(lease);
                lease.Dispose();
            }
        }

        var all = await bench.RentAsync(4);

        Assert.Equal([2, 2], bench.Pool.GetChildCounts());
        all.ForEach(lease => lease.Dispose());
        bench.AssertPermitsAreConserved();
    }

    // 19: a restart of the server causes one error for each stale connection.
    [Fact]
    public async Task After_a_restart_stale_parents_are_replaced_without_an_error_to_a_caller()
    {
        using var bench = new NestedBench(maxParents: 3, maxPerParent: 2) { Parents = { IsBrokenHook = part => part.IsBroken } };
        bench.Options.ChildPool.OutageTimeout = TimeSpan.Zero;
        await bench.Pool.WarmUpParentsAsync(3).WaitAsync(Background.Limit);
        var stale = bench.Parents.Created.ToList();

        // Only the creation of a child detects that the server has dropped the connection.
        bench.Children.Creates = (parent, _) =>
        {
            parent.IsBroken = stale.Contains(parent);
            return parent.IsBroken ? throw new IOException("reset by peer") : new ValueTask<Leaf>(bench.Children.New(parent));
        };

        var callers = await Task.WhenAll(Enumerable.Range(0, 6).Select(_ => bench.RentAsync()));

        Assert.All(callers, lease => Assert.DoesNotContain(lease.Value.Parent, stale));
        Assert.Equal([1, 2, 3], bench.DestroyedParents(3).Select(each => each.Number).Order());
        bench.AssertPermitsAreConserved();
    }

    // 23: puddle 1.1.1 2.0.1, HikariCP#128 #229: a clear that meets a creation leaves an old item in the pool, or counts wrongly.
    [Fact]
    public async Task A_clear_during_the_creation_of_a_parent_and_a_child_keeps_neither()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2);
        var (parents, children) = (new Gate<Part>(), new Gate<Leaf>());
        bench.Parents.Creates = parents.WaitAsync;
        bench.Children.Creates = (_, token) => children.WaitAsync(token);
        var request = bench.RequestAsync();
        Background.Until(() => parents.Waiting == 1);

        bench.Pool.Clear();
        parents.Release(bench.Parents.New());
        Assert.Equal((1, DestroyReason.Cleared), bench.DestroyedParents(1)[0]);
        Background.Until(() => parents.Waiting == 1);
        parents.Release(bench.Parents.New());
        Background.Until(() => children.Waiting == 1);
        bench.Parents.Creates = null;
        bench.Pool.Clear();
        bench.Children.Creates = null;
        children.Release(bench.Children.New(bench.Parents.Created[1]));

        var lease = await request.WaitAsync(Background.Limit);
        Assert.Equal((2, 3), (lease.Value.Number, lease.Value.Parent.Number));
        Background.Until(() => bench.Now.Live == 1 && bench.Parents.Destroyed.Any(each => each.Part.Number == 2));
    }
}
