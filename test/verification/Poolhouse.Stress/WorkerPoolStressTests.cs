using Poolhouse.Workers;

namespace Poolhouse.Stress;

/// <summary>
/// Many callers on a few workers by every kind of call, with keys, lanes, deadlines and cancellations, while the pool is resized,
/// cleared and trimmed.
/// </summary>
[Collection(nameof(ObjectPoolStressTests))]
public sealed class WorkerPoolStressTests(ITestOutputHelper output)
{
    private const int MaxWorkers = 4;
    private const int Callers = 4;
    private const int KeyCount = 5;

    private readonly StressRun _run = new(output);

    [Theory]
    [InlineData(QueueFullMode.Wait)]
    [InlineData(QueueFullMode.Reject)]
    [InlineData(QueueFullMode.CallerRuns)]
    [InlineData(QueueFullMode.DropOldest)]
    [InlineData(QueueFullMode.DropNewest)]
    public async Task Every_item_ends_once_on_one_worker_at_a_time_and_the_counts_add_up(QueueFullMode mode)
    {
        var books = new Books();
        var pool = new WorkerPool<Workplace>(WorkerPolicy.Create(books.Make, destroy: books.Destroy), OptionsFor(mode));

        _run.Run(Callers, random =>
        {
            switch (random.Next(400))
            {
                case 0:
                    pool.Resize(1 + random.Next(MaxWorkers));
                    break;
                case 1:
                    pool.Clear();
                    break;
                case 2:
                    pool.Trim();
                    break;
                case < 100:
                    books.Posted(pool.TryPost(static (bench, books) => books.Run(bench, random: null, key: null), books));
                    break;
                default:
                    // The threads of the test block; they block on the asynchronous API of the pool.
                    books.Ended(RunAsync(pool, books, random).WaitAsync(TimeSpan.FromSeconds(30)).GetAwaiter().GetResult());
                    break;
            }
        });

        await pool.DrainAsync().WaitAsync(TimeSpan.FromSeconds(30));
        var now = pool.GetStatistics();
        Assert.Equal((0, 0, 0), (now.Workers, now.Leased, now.Waiting));
        Assert.Equal((now.Rented, now.Created), (now.Returned, now.Destroyed));
        Assert.Equal(books.Begun, now.Rented + now.RunByCallers);
        Assert.Equal(books.Made, books.Destroyed);
        Assert.True(books.Completed > 0, "No item was completed.");
        if (mode != QueueFullMode.DropOldest)
        {
            Assert.Equal(books.Begun, books.Completed + books.Accepted);
        }

        output.WriteLine(
            $"{books.Completed:N0} done, {books.Refused:N0} refused or cancelled, {books.Accepted:N0} posted, {books.Made:N0} " +
            "states");
    }

    [Fact]
    public void Every_item_of_a_pool_disposed_meanwhile_ends()
    {
        var rounds = 0;
        _run.Run(1, _ =>
        {
            var books = new Books();
            var pool = new WorkerPool<Workplace>(
                WorkerPolicy.Create(books.Make, destroy: books.Destroy), OptionsFor(QueueFullMode.Wait));
            var callers = Enumerable.Range(0, 3).Select(number => Task.Run(async () =>
            {
                var random = new Random(_run.Seed + number);
                Outcome outcome;
                do
                {
                    outcome = await RunAsync(pool, books, random);
                    books.Ended(outcome);
                }
                while (outcome != Outcome.Closed);
            })).ToArray();
            Assert.True(SpinWait.SpinUntil(() => books.Completed > 100, TimeSpan.FromSeconds(30)), "No item was completed.");
            if (rounds++ % 2 == 0)
            {
                pool.Dispose();
            }

            Assert.True(pool.DrainAsync().Wait(TimeSpan.FromSeconds(30)), "Threads did not end.");
            Assert.True(Task.WaitAll(callers, TimeSpan.FromSeconds(30)), "A caller was not answered.");
            Assert.Equal(books.Made, books.Destroyed);
        });
    }

    private static WorkerPoolOptions OptionsFor(QueueFullMode mode) => new()
    {
        MaxWorkers = MaxWorkers,
        QueueCapacity = 3,
        QueueFull = mode,
        Lanes = [new WorkLane(1), new WorkLane(4)],
        MaxItemsPerState = 50,
        IdleTimeout = TimeSpan.FromMilliseconds(1),
    };

    private static async Task<Outcome> RunAsync(WorkerPool<Workplace> pool, Books books, Random random)
    {
        using var cancelling = new CancellationTokenSource();
        var key = random.Next(2) == 0 ? (int?)random.Next(KeyCount) : null;
        var options = new WorkOptions
        {
            Lane = key is { } number ? number % 2 : random.Next(2),
            Key = key,
            QueueTimeout = random.Next(8) == 0 ? TimeSpan.FromMilliseconds(random.Next(3)) : null,
        };
        var toss = new Random(random.Next());
        try
        {
            var run = random.Next(3) switch
            {
                0 => pool.RunAsync(bench => books.RunPartsAsync(bench, key), options, cancelling.Token),
                _ => pool.RunAsync(bench => books.Run(bench, toss, key), options, cancelling.Token),
            };
            if (random.Next(4) == 0)
            {
                await cancelling.CancelAsync();
            }

            await run;
            return Outcome.Done;
        }
        catch (FormatException)
        {
            return Outcome.Done;
        }
        catch (ObjectDisposedException)
        {
            return Outcome.Closed;
        }
        catch (Exception end) when (end is OperationCanceledException or WorkTimeoutException or PoolOverloadedException)
        {
            return Outcome.Refused;
        }
    }

    private enum Outcome
    {
        Done,
        Refused,
        Closed,
    }

    /// <summary>A state, which one thread uses at a time: its own.</summary>
    private sealed class Workplace
    {
        public int MadeOn { get; } = Environment.CurrentManagedThreadId;

        public bool InUse { get; set; }

        public bool IsDestroyed { get; set; }
    }

    private sealed class Books
    {
        private readonly int[] _keys = new int[KeyCount];
        private long _made;
        private long _destroyed;
        private long _begun;
        private long _completed;
        private long _refused;
        private long _accepted;

        public long Made => Volatile.Read(ref _made);

        public long Destroyed => Volatile.Read(ref _destroyed);

        public long Begun => Volatile.Read(ref _begun);

        public long Completed => Volatile.Read(ref _completed);

        public long Refused => Volatile.Read(ref _refused);

        public long Accepted => Volatile.Read(ref _accepted);

        public Workplace Make()
        {
            Interlocked.Increment(ref _made);
            return new Workplace();
        }

        public void Destroy(Workplace bench)
        {
            Assert.Equal((bench.MadeOn, false, false), (Environment.CurrentManagedThreadId, bench.InUse, bench.IsDestroyed));
            bench.IsDestroyed = true;
            Interlocked.Increment(ref _destroyed);
        }

        public void Posted(bool accepted) => Interlocked.Add(ref _accepted, accepted ? 1 : 0);

        public void Ended(Outcome outcome) => Interlocked.Increment(ref outcome == Outcome.Done ? ref _completed : ref _refused);

        public void Run(Workplace bench, Random? random, int? key)
        {
            Begin(bench, key);
            Thread.SpinWait(random?.Next(200) ?? 10);
            End(bench, key);
            if (random?.Next(50) == 0)
            {
                throw new FormatException();
            }
        }

        public async Task RunPartsAsync(Workplace bench, int? key)
        {
            Begin(bench, key);
            await Task.Yield();
            Assert.Equal(bench.MadeOn, Environment.CurrentManagedThreadId);
            End(bench, key);
        }

        private void Begin(Workplace bench, int? key)
        {
            Interlocked.Increment(ref _begun);
            Assert.Equal((bench.MadeOn, false, false), (Environment.CurrentManagedThreadId, bench.InUse, bench.IsDestroyed));
            bench.InUse = true;
            if (key is { } number)
            {
                Assert.Equal(1, Interlocked.Increment(ref _keys[number]));
            }
        }

        private void End(Workplace bench, int? key)
        {
            bench.InUse = false;
            if (key is { } number)
            {
                Interlocked.Decrement(ref _keys[number]);
            }
        }
    }
}
