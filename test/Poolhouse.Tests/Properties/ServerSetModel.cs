using FsCheck;
using FsCheck.Fluent;
using Poolhouse.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Properties;

/// <summary>
/// Random sequences of operations on a server set, checked against its guarantees about order, avoidance and counts.
/// </summary>
public sealed class ServerSetModel
{
    private static readonly TimeSpan _longest = TimeSpan.FromSeconds(40);

    private enum Operation
    {
        Create,
        CreateAgain,
        Dispose,
        DisposeAgain,
        Break,
        Repair,
        ReportFailure,
        ReportSuccess,
        ReportFromItem,
        Advance,
        Replace,
    }

    [Fact]
    public void Every_sequence_prefers_healthy_servers_avoids_others_within_bounds_and_keeps_the_counts()
    {
        var steps = from operation in Gen.Elements(Enum.GetValues<Operation>())
                    from choice in Gen.Choose(0, 1_000)
                    select (operation, choice);
        var lives = from selection in Gen.Elements(Enum.GetValues<ServerSelection>())
                    from seed in Gen.Choose(0, int.MaxValue - 1)
                    from script in steps.ListOf(80)
                    select (selection, seed, script);

        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(250),
            Prop.ForAll(lives.ToArbitrary(), life => new Life(life.selection, life.seed).Play(life.script)));
    }

    private sealed class Life
    {
        private readonly ManualTimeProvider _clock = new();
        private readonly ServerSelection _selection;
        private readonly ServerSet<int> _set;
        private readonly HashSet<int> _down = [];
        private readonly List<ServerItem<int, object>> _items = [];
        private readonly List<ServerItem<int, object>> _gone = [];
        private int[] _list = [1, 2, 3, 4];

        public Life(ServerSelection selection, int seed)
        {
            _selection = selection;
            _set = new ServerSet<int>(_list, new ServerSetOptions
            {
                Selection = selection,
                RecheckDelay = TimeSpan.FromSeconds(10),
                MaxRecheckDelay = _longest,
                FailBackAge = TimeSpan.FromSeconds(20),
                TimeProvider = _clock,
            }.With(new Random(seed)));
        }

        public void Play(IEnumerable<(Operation Operation, int Choice)> script)
        {
            foreach (var (operation, choice) in script)
            {
                Act(operation, choice);
                CheckCounts();
                CheckPenalties();
                CheckFailBack();
            }
        }

        private void Act(Operation operation, int choice)
        {
            var server = _list[choice % _list.Length];
            switch (operation)
            {
                case Operation.Create or Operation.CreateAgain:
                    Create();
                    break;
                case Operation.Dispose when _items.Count > 0:
                    _gone.Add(_items[choice % _items.Count]);
                    _items.Remove(_gone[^1]);
                    _gone[^1].Dispose();
                    break;
                case Operation.DisposeAgain when _gone.Count > 0:
                    _gone[choice % _gone.Count].Dispose();
                    break;
                case Operation.Break:
                    _down.Add(server);
                    break;
                case Operation.Repair:
                    _down.Remove(server);
                    break;
                case Operation.ReportFailure:
                    _set.ReportFailure(server);
                    break;
                case Operation.ReportSuccess:
                    _set.ReportSuccess(server);
                    break;
                case Operation.ReportFromItem when _items.Count > 0:
                    _items[choice % _items.Count].ReportFailure();
                    break;
                case Operation.Advance:
                    _clock.Advance(TimeSpan.FromSeconds(choice % 30));
                    break;
                case Operation.Replace:
                    _list = [.. Enumerable.Range(1, 5).Where(each => each == 1 + (choice % 5) || (choice >> each) % 2 == 0)];
                    Array.Sort(_list, (left, right) => (left * choice % 7).CompareTo(right * choice % 7));
                    _set.Replace(_list);
                    break;
            }
        }

        private void Create()
        {
            var before = _set.GetStatistics().Where(each => each.Health != ServerHealth.Removed).ToList();
            var tried = new List<int>();
            try
            {
                _items.Add(_set.Create(
                    (server, _) =>
                    {
                        tried.Add(server);
                        return _down.Contains(server) ? throw new IOException() : new object();
                    },
                    Timeout.InfiniteTimeSpan));
                Assert.Equal(tried[^1], _items[^1].Server);
                Assert.DoesNotContain(tried[^1], _down);
            }
            catch (Exception failure) when (failure is IOException or NoServerAvailableException)
            {
                // A server that was not tried cannot have been the reason.
                Assert.Equal(_list.Order(), tried.Order());
                Assert.All(_list, server => Assert.Contains(server, _down));
            }

            CheckOrder(before, tried);
        }

        private void CheckOrder(List<ServerStatistics<int>> before, List<int> tried)
        {
            Assert.Equal(tried.Count, tried.Distinct().Count());
            var seen = tried.ConvertAll(server => before.Single(each => each.Server == server));
            var usable = seen.TakeWhile(each => each.Health != ServerHealth.Avoided).ToList();
            var avoided = seen.Skip(usable.Count).ToList();

            // Healthy servers come first, then avoided ones in the order of their rechecks.
            Assert.DoesNotContain(avoided, each => each.Health != ServerHealth.Avoided);
            Assert.True(avoided.Count == 0 || usable.Count == before.Count(each => each.Health != ServerHealth.Avoided));
            Assert.Equal(avoided.Select(each => each.RecheckIn).Order(), avoided.Select(each => each.RecheckIn));
            if (_selection == ServerSelection.Ordered)
            {
                Assert.Equal(usable.OrderBy(before.IndexOf), usable);
            }
            else if (_selection == ServerSelection.LeastOutstanding)
            {
                // A server that is due for its recheck comes first if an item was retired for it.
                var up = usable.Where(each => each.Health == ServerHealth.Up).Select(each => each.Items).ToList();
                Assert.Equal(up.Order(), up);
            }
        }

        private void CheckCounts()
        {
            var statistics = _set.GetStatistics();
            Assert.Equal(_list, statistics.Where(each => each.Health != ServerHealth.Removed).Select(each => each.Server));
            Assert.All(
                statistics,
                each => Assert.Equal((_items.Count(item => item.Server == each.Server), 0), (each.Items, each.Creating)));
            Assert.Equal(_items.Count, statistics.Sum(each => each.Items));
        }

        private void CheckPenalties() => Assert.All(_set.GetStatistics(), each =>
        {
            var ceiling = 10 * Math.Pow(2, each.FailuresInRow - 1);
            Assert.InRange(each.RecheckIn.TotalSeconds, 0, Math.Min(_longest.TotalSeconds, ceiling));
            Assert.True(each.Health != ServerHealth.Up || each.FailuresInRow == 0);
            Assert.True(each.RecheckIn == TimeSpan.Zero || each.Health == ServerHealth.Avoided);
        });

        // No item is retired in favor of a server that is avoided.
        private void CheckFailBack() => Assert.All(_items, item =>
        {
            var position = Array.IndexOf(_list, item.Server);
            var better = position < 0
                ? _list
                : _selection == ServerSelection.Ordered ? _list[..position] : _list.Where(server => server != item.Server);
            if (item.ShouldFailBack())
            {
                Assert.Contains(
                    _set.GetStatistics(),
                    each => better.Contains(each.Server) && each.Health is (ServerHealth.Up or ServerHealth.RecheckDue));
            }
        });
    }
}
