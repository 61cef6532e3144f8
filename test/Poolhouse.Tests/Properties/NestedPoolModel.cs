using System.Collections.Concurrent;

namespace Poolhouse.Tests.Properties;

/// <summary>
/// Random sequences of operations on a nested pool, checked against its guarantees about both bounds and all permits.
/// </summary>
public sealed class NestedPoolModel
{
    private const int MaxParents = 3;
    private const int MaxPerParent = 2;
    private const int Steps = 80;

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 12)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task Both_bounds_hold_and_in_the_end_the_uses_of_the_parents_equal_the_live_children(int seed)
    {
        var random = new Random(seed);
        var (alive, parentsAlive, most) = (0, 0, 0);

        // In every third run, the parents accept fewer children than the pool allows, and report that they are full.
        var carried = seed % 3 == 0 ? 1 : MaxPerParent;
        var onParent = new ConcurrentDictionary<Part, int>();
        using var bench = new NestedBench(MaxParents, MaxPerParent);
        bench.Options.GrowAtLoad = seed % 2 == 0 ? 1 : 0.5;
        bench.Options.Selection = (SelectionStrategy)(seed % 3);
        bench.Options.ParentPool.MaxLifetime = TimeSpan.FromSeconds(100);

        // The clock may be advanced during a creation or a destruction.
        bench.Options.ParentPool.CreateTimeout = bench.Options.ChildPool.CreateTimeout = TimeSpan.FromDays(1);
        bench.Options.ParentPool.DestroyTimeout = bench.Options.ChildPool.DestroyTimeout = TimeSpan.FromDays(1);
        bench.Parents.IsBrokenHook = part => part.IsBroken;
        bench.Children.IsBrokenHook = leaf => leaf.IsBroken;
        bench.Parents.Creates = _ =>
        {
            Assert.InRange(Interlocked.Increment(ref parentsAlive), 1, MaxParents);
            return new ValueTask<Part>(bench.Parents.New());
        };
        bench.Parents.Destroys = (_, _) =>
        {
            Interlocked.Decrement(ref parentsAlive);
            return default;
        };
        bench.Children.Creates = (parent, _) =>
        {
            if (Chance(10))
            {
                throw new IOException("not this time");
            }

            if (onParent.AddOrUpdate(parent, 1, static (_, count) => count + 1) > carried)
            {
                onParent.AddOrUpdate(parent, 0, static (_, count) => count - 1);
                throw new InvalidOperationException("full");
            }

            InterlockedMax(ref most, Interlocked.Increment(ref alive));
            return new ValueTask<Leaf>(bench.Children.New(parent));
        };
        bench.Children.IsParentFullHook = failure => failure is InvalidOperationException;
        bench.Children.Destroys = (leaf, _) =>
        {
            onParent.AddOrUpdate(leaf.Parent, 0, static (_, count) => count - 1);
            Interlocked.Decrement(ref alive);
            return default;
        };
        var leases = new List<Lease<Leaf>>();
        var detached = 0;

        for (var step = 0; step < Steps; step++)
        {
            var at = leases.Count == 0 ? -1 : random.Next(leases.Count);
            switch (random.Next(12))
            {
                case < 5 when leases.Count < MaxParents * MaxPerParent:
                    var request = bench.Pool.RentAsync(TimeSpan.FromSeconds(2)).AsTask();
                    bench.AdvanceUntil(() => request.IsCompleted, TimeSpan.FromSeconds(1), steps: 3);
                    if (request.IsCompletedSuccessfully)
                    {
                        leases.Add(await request);
                    }

                    break;
                case 5 when at >= 0:
                    Interlocked.Decrement(ref alive);
                    detached++;
                    onParent.AddOrUpdate(leases[at].Value.Parent, 0, static (_, count) => count - 1);
                    leases[at].Detach();
                    leases.RemoveAt(at);
                    break;
                case 6 when at >= 0:
                    leases[at].Value.Parent.IsBroken = true;
                    break;
                case 7 when at >= 0:
                    leases[at].Value.IsBroken = true;
                    break;
                case 8 when at >= 0:
                    bench.Pool.Invalidate(leases[at]);
                    break;
                case 9:
                    bench.Pool.Trim();
                    bench.Clock.Advance(TimeSpan.FromSeconds(random.Next(50)));
                    break;
                case 10 when random.Next(4) == 0:
                    bench.Pool.Clear();
                    break;
                default:
                    if (at >= 0)
                    {
                        leases[at].Dispose();
                        leases.RemoveAt(at);
                    }

                    break;
            }

            Assert.InRange(bench.Now.Live, 0, MaxParents * MaxPerParent);
            Assert.All(bench.Pool.GetChildCounts(), children => Assert.InRange(children, 0, MaxPerParent));
            Assert.All(
                leases.GroupBy(lease => lease.Value.Parent), children => Assert.InRange(children.Count(), 1, MaxPerParent));
        }

        leases.ForEach(lease => lease.Dispose());

        // A creation whose caller gave up may wait for room on a parent: it gets a new one.
        bench.Pool.Clear();
        bench.AssertPermitsAreConserved();
        Assert.InRange(most, 1, (MaxParents * MaxPerParent) + detached);
        await bench.Pool.DrainAsync().WaitAsync(Background.Limit);
        Assert.Equal((0, 0), (alive, parentsAlive));
        Assert.Equal(bench.Children.Destroyed.Count, bench.Children.Destroyed.Distinct().Count());
        Assert.Equal(bench.Parents.Created.Count, bench.Parents.Destroyed.Select(each => each.Part).Distinct().Count());

        bool Chance(int percent)
        {
            lock (random)
            {
                return random.Next(100) < percent;
            }
        }
    }

    private static void InterlockedMax(ref int most, int value)
    {
        for (var seen = Volatile.Read(ref most); value > seen;)
        {
            var before = Interlocked.CompareExchange(ref most, value, seen);
            if (before == seen)
            {
                return;
            }

            seen = before;
        }
    }
}
