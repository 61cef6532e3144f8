using FsCheck;
using FsCheck.Fluent;

namespace Poolhouse.Tests.Properties;

/// <summary>A random sequence of operations against a model of the items that the pool may rent and retain.</summary>
public sealed class ObjectPoolModel
{
    private enum Operation
    {
        Get,
        Return,
        Rent,
        Dispose,
        DisposeAgain,
        Discard,
        Detach,
        Trim,
        Prefill,
    }

    [Theory]
    [InlineData(ParanoidMode.Off)]
    [InlineData(ParanoidMode.Throw)]
    public void Every_sequence_keeps_one_owner_per_item_the_bound_and_the_counters(ParanoidMode mode)
    {
        var steps = from operation in Gen.Elements(Enum.GetValues<Operation>())
                    from choice in Gen.Choose(0, 1_000)
                    select (operation, choice);
        var sequences = from max in Gen.Elements(1, 2, 8, 33, 100)
                        from script in steps.ListOf(120)
                        select (max, script);

        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(300),
            Prop.ForAll(sequences.ToArbitrary(), sequence => Replay(sequence.max, mode, sequence.script)));
    }

    private static void Replay(int max, ParanoidMode mode, IEnumerable<(Operation Operation, int Choice)> script)
    {
        var options = StatisticsAssert.Retaining(max);
        options.Paranoid = mode;
        using var pool = new TieredObjectPool<DisposableItem>(() => new DisposableItem(), null, options);
        var plain = new List<DisposableItem>();
        var leases = new List<Lease<DisposableItem>>();
        var ended = new List<Lease<DisposableItem>>();
        var detached = new HashSet<DisposableItem>();
        var doubles = 0;
        foreach (var (operation, choice) in script)
        {
            switch (operation)
            {
                case Operation.Get:
                    plain.Add(pool.Get());
                    break;
                case Operation.Rent:
                    leases.Add(pool.Rent());
                    break;
                case Operation.Return when plain.Count > 0:
                    pool.Return(Take(plain, choice));
                    break;
                case Operation.Dispose when leases.Count > 0:
                    ended.Add(Take(leases, choice));
                    ended[^1].Dispose();
                    break;
                case Operation.DisposeAgain when ended.Count > 0:
                    ended[choice % ended.Count].Dispose();
                    doubles++;
                    break;
                case Operation.Discard when leases.Count > 0:
                    ended.Add(Take(leases, choice));
                    ended[^1].Discard();
                    break;
                case Operation.Detach when leases.Count > 0:
                    ended.Add(Take(leases, choice));
                    Assert.True(detached.Add(ended[^1].Detach()));
                    break;
                case Operation.Trim:
                    pool.Trim();
                    break;
                case Operation.Prefill:
                    pool.Prefill(choice % 5);
                    break;
                default:
                    break;
            }

            var held = plain.Concat(leases.Select(lease => lease.Value)).ToList();
            Assert.Equal(held.Count, held.Distinct().Count());
            Assert.All(held, item => Assert.Equal(0, item.Disposals));
            Assert.DoesNotContain(held, detached.Contains);
            Assert.All(ended, lease => Assert.False(lease.IsActive));
            var statistics = pool.GetStatistics();
            Assert.InRange(statistics.Retained, 0, max);
            Assert.Equal((held.Count, doubles), ((int)statistics.Leased, (int)statistics.DoubleReturns));
            StatisticsAssert.Balanced(statistics);
        }
    }

    private static TItem Take<TItem>(List<TItem> items, int choice)
    {
        var index = choice % items.Count;
        var item = items[index];
        items.RemoveAt(index);
        return item;
    }
}
