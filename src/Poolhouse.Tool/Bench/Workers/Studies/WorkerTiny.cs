using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Workers.Studies;

/// <summary>The cost of submitting and running an item that does nothing.</summary>
internal sealed class WorkerTiny : JobExperiment
{
    private const int Items = 100_000;

    public override string Id => "workers-tiny";

    public override string Title => "Items that do nothing";

    public override string Question => "What does it cost to hand an item to a thread?";

    public override string Method =>
        "One thread submits 100,000 items that only increment a counter, as fast as it can; the time is from the first "
        + "one to the end of the last item, divided by the number of items. Poolhouse is TryPost of a static delegate, "
        + "'channel' an unbounded Channel<T> with as many consumers on dedicated threads as workers, 'thread pool' "
        + "UnsafeQueueUserWorkItem of an existing object, on as many threads as it starts.";

    protected override string ParameterName => "workers";

    public override Verdict Judge(IReadOnlyList<Measurement> results)
    {
        var cells = Results.Cells(results)
            .Where(cell => Results.Of(cell, RivalNames.Poolhouse) is not null && Results.Of(cell, RivalNames.Channel) is not null
                && Results.Of(cell, RivalNames.ThreadPool) is not null)
            .ToList();
        if (cells.Count == 0)
        {
            return new Verdict(Outcome.Unknown, "Not measured.");
        }

        var holds = cells.TrueForAll(cell => Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.Channel) <= 1
            && Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.ThreadPool) <= 1 / 0.8);
        var texts = cells.Select(cell =>
            $"with {Units.Count(cell[0].Parameters[0])} {TimeOf(cell, RivalNames.Poolhouse)} and "
            + $"{BytesOf(cell, RivalNames.Poolhouse)} (channel {TimeOf(cell, RivalNames.Channel)}, thread pool "
            + $"{TimeOf(cell, RivalNames.ThreadPool)})");
        return new Verdict(holds ? Outcome.Holds : Outcome.FallsShort, $"An item costs, by workers: {string.Join("; ", texts)}.");
    }

    protected override IReadOnlyList<int> ValuesOf(bool isQuick) =>
        [.. new[] { 1, Environment.ProcessorCount }.Distinct()];

    protected override IReadOnlyList<Contender> ContendersOf(int value)
    {
        return
        [
            new JobContender(RivalNames.Poolhouse, Items, Work, job => Runner.OfWorkers(job, value)),
            new JobContender(RivalNames.Channel, Items, Work, job => Runner.OfChannel(job, value)),
            new JobContender(RivalNames.ThreadPool, Items, Work, Runner.OfThreadPool),
        ];

        static long Work() => 1;
    }
}
