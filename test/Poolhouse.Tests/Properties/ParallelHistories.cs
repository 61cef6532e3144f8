using FsCheck;
using FsCheck.Fluent;

namespace Poolhouse.Tests.Properties;

/// <summary>Random programs on several threads at once; a history checker verifies their results.</summary>
public sealed class ParallelHistories
{
    [Theory]
    [InlineData(ParanoidMode.Off)]
    [InlineData(ParanoidMode.Throw)]
    public void No_item_has_two_owners_and_none_is_lost(ParanoidMode mode)
    {
        var programs = from max in Gen.Elements(1, 2, 8, 64)
                       from threads in Gen.Choose(2, 5)
                       from guarded in ArbMap.Default.GeneratorFor<bool>()
                       from scripts in Gen.ListOf(Gen.ListOf(Gen.Choose(0, 99), 400), threads)
                       select (max, guarded, scripts);

        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(60),
            Prop.ForAll(
                programs.ToArbitrary(),
                program => Run(program.max, mode, program.guarded, [.. program.scripts.Select(script => script.ToArray())])));
    }

    private static void Run(int max, ParanoidMode mode, bool guarded, int[][] scripts)
    {
        var history = new History();
        var options = StatisticsAssert.Retaining(max);
        options.Paranoid = mode;
        var pool = new TieredObjectPool<DisposableItem>(() => new DisposableItem(), null, options);
        Threads.Run(scripts.Length, number =>
        {
            var hands = guarded ? (IHands)new GuardedHands(pool, history) : new PlainHands(pool, history);
            foreach (var step in scripts[number])
            {
                switch (step)
                {
                    case < 45:
                        hands.Take();
                        break;
                    case < 97:
                        hands.PutBack();
                        break;
                    case < 99:
                        Assert.InRange(pool.GetStatistics().Retained, 0, max);
                        break;
                    default:
                        pool.Trim();
                        break;
                }
            }

            while (hands.PutBack())
            {
                // Until every rented item is returned.
            }
        });

        history.AssertNoOverlap();
        var statistics = pool.GetStatistics();
        Assert.Equal((0, 0), (statistics.Leased, statistics.DoubleReturns));
        Assert.Equal(history.Rents, statistics.Rented);
        StatisticsAssert.Balanced(statistics);
        pool.Dispose();
        Assert.All(history.Items, item => Assert.Equal(1, item.Disposals));
    }

    private interface IHands
    {
        void Take();

        bool PutBack();
    }

    private sealed class PlainHands(TieredObjectPool<DisposableItem> pool, History history) : IHands
    {
        private readonly Stack<(DisposableItem Item, int Rent)> _held = new();

        public void Take()
        {
            var item = pool.Get();
            _held.Push((item, history.Begin(item)));
        }

        public bool PutBack()
        {
            if (!_held.TryPop(out var held))
            {
                return false;
            }

            history.End(held.Rent);
            pool.Return(held.Item);
            return true;
        }
    }

    private sealed class GuardedHands(TieredObjectPool<DisposableItem> pool, History history) : IHands
    {
        private readonly Stack<(Lease<DisposableItem> Lease, int Rent)> _held = new();

        public void Take()
        {
            var lease = pool.Rent();
            _held.Push((lease, history.Begin(lease.Value)));
        }

        public bool PutBack()
        {
            if (!_held.TryPop(out var held))
            {
                return false;
            }

            history.End(held.Rent);
            held.Lease.Dispose();
            return true;
        }
    }

    /// <summary>When each item was rented, by one ticket counter.</summary>
    private sealed class History
    {
        private readonly Lock _gate = new();
        private readonly List<(DisposableItem Item, long Begin, long End)> _rents = [];
        private long _ticket;

        public int Rents => _rents.Count;

        public IEnumerable<DisposableItem> Items => _rents.Select(rent => rent.Item).Distinct();

        public int Begin(DisposableItem item)
        {
            lock (_gate)
            {
                _rents.Add((item, ++_ticket, long.MaxValue));
                return _rents.Count - 1;
            }
        }

        public void End(int rent)
        {
            lock (_gate)
            {
                _rents[rent] = _rents[rent] with { End = ++_ticket };
            }
        }

        public void AssertNoOverlap()
        {
            foreach (var rents in _rents.GroupBy(rent => rent.Item))
            {
                var free = 0L;
                foreach (var (_, begin, end) in rents.OrderBy(rent => rent.Begin))
                {
                    Assert.True(begin > free, "one item, two owners");
                    free = end;
                }
            }
        }
    }
}
