using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Workers.Studies;

/// <summary>The article's comparison: a thread for each item, compared with reused threads.</summary>
internal sealed class WorkerThreads : JobExperiment
{
    private const double Share = 1.1;

    private static readonly TimeSpan _chore = TimeSpan.FromMicroseconds(50);

    public override string Id => "workers-threads";

    public override string Title => "A thread for each item, or reused threads";

    public override string Question => "What does it cost to start a thread for each piece of work?";

    public override string Method =>
        "One thread submits a batch of items, each of which computes for about 50 µs and does not block; the time is from "
        + "the first submission to the end of the last item, per item. 'no pool' starts a thread for each, 'thread pool' is "
        + "UnsafeQueueUserWorkItem, Poolhouse a worker pool with as many workers as the machine has cores.";

    protected override string ParameterName => "items";

    public override Verdict Judge(IReadOnlyList<Measurement> results)
    {
        var cell = Results.Cells(results).OrderBy(each => each[0].Parameters[0]).LastOrDefault();
        if (cell is null
            || Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.NoPool) is not { } ratio
            || Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.ThreadPool) is not { } beside)
        {
            return new Verdict(Outcome.Unknown, "Not measured.");
        }

        var text =
            $"{Units.Count(cell[0].Parameters[0])} items take {TimeOf(cell, RivalNames.NoPool)} each on a thread of their "
            + $"own, {TimeOf(cell, RivalNames.ThreadPool)} on the thread pool and {TimeOf(cell, RivalNames.Poolhouse)} on a "
            + $"worker pool, with {BytesOf(cell, RivalNames.NoPool)}, {BytesOf(cell, RivalNames.ThreadPool)} and "
            + $"{BytesOf(cell, RivalNames.Poolhouse)}.";
        return ratio > Crossover.Pays
            ? new Verdict(Outcome.DoesNotPay, $"Pooling does not pay: {text}")
            : new Verdict(beside <= Share ? Outcome.Pays : Outcome.Depends, $"Pooling pays: {text}");
    }

    protected override IReadOnlyList<int> ValuesOf(bool isQuick) => isQuick ? [100, 1_000] : [100, 1_000, 10_000];

    protected override IReadOnlyList<Contender> ContendersOf(int value)
    {
        var turns = CpuWork.TurnsIn(_chore);
        return
        [
            new JobContender(RivalNames.NoPool, value, Work, Runner.OfNewThreads),
            new JobContender(RivalNames.ThreadPool, value, Work, Runner.OfThreadPool),
            new JobContender(RivalNames.Poolhouse, value, Work, job => Runner.OfWorkers(job, Environment.ProcessorCount)),
        ];

        long Work() => CpuWork.Do(turns);
    }
}
