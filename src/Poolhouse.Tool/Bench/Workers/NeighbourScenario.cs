using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Resources.Trials;
using Poolhouse.Workers;

namespace Poolhouse.Tool.Bench.Workers;

/// <summary>Items that arrive at a steady pace while other work uses the thread pool: how long until they start.</summary>
internal abstract class NeighbourScenario : Scenario
{
    protected const string Beside = "99th percentile beside the neighbour";
    protected const string Alone = "99th percentile alone";

    private const int Steps = 60;
    private const double PerSecond = 500;
    private const string Waits = "wait to begin";
    private const double Share = 0.25;

    public override string Group => Catalog.WorkerGroup;

    protected static int Cores => Environment.ProcessorCount;

    protected static string Arriving =>
        "A dedicated thread submits 500 items a second; each only records how long it waited until it began. 'thread "
        + "pool' is UnsafeQueueUserWorkItem, Poolhouse a worker pool with as many workers as the machine has cores. ";

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(
            Waits,
            "99th percentile of the wait (less is better)",
            "How long items waited until they began, over time; the neighbour runs during the shaded period.",
            "time")
        {
            YLabel = seconds => Units.Duration(seconds * 1e9),
        },
    ];

    /// <summary>The label of the neighbour below the shaded range.</summary>
    protected abstract string NeighbourName { get; }

    // The thread pool first: the threads that it adds because of the neighbour stay for a while, and Poolhouse does not use them.
    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        .. new[] { RivalNames.ThreadPool, RivalNames.Poolhouse }.Select(rival => new TrialPlan(rival, async cancellation =>
        {
            // The code of both sides is compiled before anything counts.
            await RunAsync(rival, ScenarioPace.Tiny, time, cancellation).ConfigureAwait(false);
            return await RunAsync(rival, pace, time, cancellation).ConfigureAwait(false);
        })),
    ];

    /// <summary>The work of one item of the neighbour on the thread pool.</summary>
    protected abstract Neighbour Invite(ScenarioPace pace);

    public override string Promise => "items wait at most a quarter as long as on the thread pool";

    public override string? Figure => Beside;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var (own, theirs) = (Of(trials, RivalNames.Poolhouse, Beside), Of(trials, RivalNames.ThreadPool, Beside));
        return VerdictOf(
            own <= theirs * Share,
            $"Beside the neighbour 99 of 100 items begin within {Text(own)} on a worker pool and within {Text(theirs)} on "
            + $"the thread pool; alone within {Text(Of(trials, RivalNames.Poolhouse, Alone))} and "
            + $"{Text(Of(trials, RivalNames.ThreadPool, Alone))}.");

        static string Text(double seconds) => Finding.TextOf(seconds, Quantity.Seconds);
    }

    private async Task<Trial> RunAsync(string rival, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var pool = rival == RivalNames.Poolhouse
            ? WorkerPool.Create(new WorkerPoolOptions { MaxWorkers = Cores, MinWorkers = Cores, Name = "bench" })
            : null;
        await using var _ = (pool ?? (IAsyncDisposable)new Nothing()).ConfigureAwait(false);
        var arrivals = new Arrivals(pool, time);
        var from = pace.Choose(1_500, 700).TotalSeconds;
        var to = from + pace.Choose(3_000, 1_500).TotalSeconds;
        var end = to + pace.Choose(1_000, 500).TotalSeconds;
        arrivals.Journal.SetZero();
        var all = arrivals.ComeAsync(PerSecond, end, cancellation);
        var neighbour = Invite(pace);

        // Not on the thread pool, which is the neighbour's for a while: its timers are late.
        await WaitAsync(from - arrivals.Journal.Now).ConfigureAwait(false);
        neighbour.MoveIn();
        await WaitAsync(to - arrivals.Journal.Now).ConfigureAwait(false);
        var threads = ThreadPool.ThreadCount;
        await neighbour.MoveOutAsync().ConfigureAwait(false);
        await all.ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        return Summarise(rival, arrivals.Journal, (from, to, end), neighbour.Peak, threads);
    }

    private Trial Summarise(string rival, Journal journal, (double From, double To, double End) times, int peak, int threads)
    {
        var alone = WaitsIn(journal, 0, times.From);
        var beside = WaitsIn(journal, times.From, times.To);
        return new Trial(
            rival,
            [new Curve(Waits, CurveOf(journal, times.End))],
            [
                Seconds("Median alone", alone, 0.5),
                Seconds(Alone, alone, 0.99),
                Seconds("Longest alone", alone, 1),
                Seconds("Median beside the neighbour", beside, 0.5),
                Seconds(Beside, beside, 0.99),
                Seconds("Longest beside the neighbour", beside, 1),
                new Finding("The neighbour's items at once, at the most", peak, Quantity.Count, Expectation.None),
                new Finding("Threads of the thread pool then", threads, Quantity.Count, Expectation.None),
            ])
        {
            Band = new Band(times.From, times.To, NeighbourName),
        };

        static Finding Seconds(string name, double[] waits, double share) =>
            new(name, Percentile(waits, share), Quantity.Seconds, Expectation.Less);
    }

    private static Task WaitAsync(double seconds)
    {
        var ended = new TaskCompletionSource();
        new Thread(() =>
        {
            BlockingDelay.Wait(TimeSpan.FromSeconds(Math.Max(0, seconds)));
            ended.SetResult();
        })
        {
            IsBackground = true,
            Name = "bench clock",
        }.Start();
        return ended.Task;
    }

    // By the time at which an item arrived, because it waits for the work that is present then.
    private static double[] WaitsIn(Journal journal, double from, double to) =>
        [.. journal.Of(TrialEvent.Served, double.NegativeInfinity)
            .Where(each => each.At - each.Value >= from && each.At - each.Value < to)
            .Select(each => each.Value).Order()];

    private static double Percentile(double[] ordered, double share) =>
        ordered.Length == 0 ? double.PositiveInfinity : ordered[(int)Math.Min(ordered.Length - 1, share * ordered.Length)];

    private static IReadOnlyList<CurvePoint> CurveOf(Journal journal, double end) =>
    [
        .. Enumerable.Range(0, Steps)
            .Select(step =>
                (Middle: (step + 0.5) * end / Steps, Waits: WaitsIn(journal, step * end / Steps, (step + 1) * end / Steps)))
            .Where(each => each.Waits.Length > 0)
            .Select(each => new CurvePoint(each.Middle, Percentile(each.Waits, 0.99))),
    ];

    private sealed class Nothing : IAsyncDisposable
    {
        public ValueTask DisposeAsync() => default;
    }
}
