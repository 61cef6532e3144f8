using FsCheck;
using FsCheck.Fluent;
using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

/// <summary>
/// Random operations in random order: each item ends exactly once, keys stay in order, and the counters balance.
/// </summary>
public sealed class StressTests
{
    private const int MaxWorkers = 3;

    [Fact]
    public void Every_item_ends_exactly_once_whatever_happens_to_the_pool()
    {
        var steps = Gen.Choose(0, 15).ListOf().Select(static steps => steps.ToList()).Where(static steps => steps.Count > 3);

        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(150).WithStartSize(20).WithEndSize(120),
            Prop.ForAll(steps.ToArbitrary(), static steps => Play(steps)));
    }

    private static void Play(List<int> steps)
    {
        foreach (var mode in Enum.GetValues<QueueFullMode>())
        {
            using var pool = new RandomPool(mode, steps.Count + (17 * (int)mode));
            steps.ForEach(pool.Step);
            pool.End();
        }
    }

    private sealed class RandomPool : IDisposable
    {
        private readonly WorkerBench _bench;
        private readonly Random _random;
        private readonly List<(Task Task, int Item)> _runs = [];
        private readonly List<CancellationTokenSource> _cancellings = [];
        private readonly Dictionary<int, List<int>> _order = [];
        private readonly int[] _started = new int[1_000];
        private int _accepted;
        private int _items;
        private int _atOnce;
        private int _mostAtOnce;

        public RandomPool(QueueFullMode mode, int seed)
        {
            _random = new Random(seed);
            _bench = new WorkerBench(MaxWorkers);
            _bench.Options.QueueCapacity = 6;
            _bench.Options.QueueFull = mode;
            _bench.Options.Lanes.Add(new WorkLane(1));
            _bench.Options.Lanes.Add(new WorkLane(3));
            _bench.Options.MaxItemsPerState = 7;
            _bench.Policy.Survivors = (tool, _) => tool.Number % 2 == 0;
        }

        public void Step(int step)
        {
            var pool = _bench.Pool;
            switch (step)
            {
                case 0:
                    pool.Clear();
                    break;
                case 1:
                    pool.Trim();
                    break;
                case 2:
                    pool.Resize(1 + _random.Next(MaxWorkers));
                    break;
                case 3:
                    _bench.Clock.Advance(TimeSpan.FromMilliseconds(_random.Next(2_000)));
                    break;
                case 4 when _cancellings.Count > 0:
                    _cancellings[_random.Next(_cancellings.Count)].Cancel();
                    break;
                case 5 or 6:
                    var post = _items++;
                    _accepted += pool.TryPost(static (_, call) => call.Pool.Begin(call.Item, null), new Call(this, post))
                        ? 1
                        : 0;
                    break;
                case 7:
                    var item = _items++;
                    var posted = pool.PostAsync(
                        (_, call) => call.Pool.Begin(call.Item, null), new Call(this, item), Settings(null)).AsTask();
                    _runs.Add((posted, -1));
                    break;
                case 8:
                    var number = _items++;
                    _runs.Add((pool.RunAsync(async _ => await RunPartsAsync(number), Settings(null), Token()).AsTask(), number));
                    break;
                case 9:
                    _runs.Add((pool.BroadcastAsync(static _ => { }), -1));
                    break;
                default:
                    var run = _items++;
                    var key = step < 13 ? (int?)(step % 3) : null;
                    _runs.Add(
                        (pool.RunAsync(
                            static (_, call) => call.Pool.Begin(call.Item, call.Key), new Call(this, run, key), Settings(key),
                            Token()).AsTask(), run));
                    break;
            }
        }

        public void End()
        {
            var drain = _bench.Pool.DrainAsync();
            Assert.True(drain.Wait(Background.Limit), "The pool is not drained.");
            foreach (var (task, item) in _runs)
            {
                Assert.True(Task.WhenAny(task).Wait(Background.Limit), "An item has not ended.");
                Assert.True(SpinWait.SpinUntil(() => task.IsCompleted, Background.Limit), "An item has not ended.");
                if (item >= 0)
                {
                    var never =
                        task.IsCanceled || task.Exception?.InnerException is PoolOverloadedException or WorkTimeoutException;
                    Assert.Equal(never ? 0 : 1, _started[item]);
                }
            }

            Assert.All(_started, static count => Assert.InRange(count, 0, 1));
            Assert.All(_order.Values, static key => Assert.Equal(key.Order(), key));
            Assert.InRange(_mostAtOnce, 0, MaxWorkers + 1);
            var now = _bench.Now;
            Assert.Equal((0, 0, 0), (now.Workers, now.Waiting, now.Leased));
            Assert.Equal(_started.Sum(), now.Rented + now.RunByCallers);
            Assert.Equal((now.Rented, now.Created), (now.Returned, now.Destroyed));
            Assert.All(
                _bench.Policy.Created,
                static tool => Assert.Equal((1, tool.CreatedOn), (tool.Destructions, tool.DestroyedOn)));
        }

        public void Dispose()
        {
            _bench.Dispose();
            _cancellings.ForEach(static source => source.Dispose());
        }

        private WorkOptions Settings(int? key) => new()
        {
            // One lane for each key: order is promised within a lane.
            Lane = key is { } lane ? lane % 2 : _random.Next(2),
            Key = key,
            QueueTimeout = _random.Next(3) == 0 ? TimeSpan.FromMilliseconds(_random.Next(1_000)) : null,
        };

        private CancellationToken Token()
        {
            if (_random.Next(2) == 0)
            {
                return default;
            }

            var source = new CancellationTokenSource();
            _cancellings.Add(source);
            return source.Token;
        }

        private void Begin(int item, int? key)
        {
            Interlocked.Increment(ref _started[item]);
            var atOnce = Interlocked.Increment(ref _atOnce);
            lock (_order)
            {
                _mostAtOnce = Math.Max(_mostAtOnce, atOnce);
                if (key is { } ordered)
                {
                    (_order.TryGetValue(ordered, out var order) ? order : _order[ordered] = []).Add(item);
                }
            }

            Thread.SpinWait(item % 5 * 50);
            Interlocked.Decrement(ref _atOnce);
            if (item % 6 == 5)
            {
                throw new FormatException();
            }
        }

        private async Task RunPartsAsync(int item)
        {
            Interlocked.Increment(ref _started[item]);
            await Task.Yield();
            await Task.Yield();
        }
    }

    private sealed record Call(RandomPool Pool, int Item, int? Key = null);
}
