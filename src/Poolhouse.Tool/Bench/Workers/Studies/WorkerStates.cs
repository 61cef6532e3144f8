using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Workers.Studies;

/// <summary>A thread-bound state: created for each item, or once per thread.</summary>
internal sealed class WorkerStates : JobExperiment
{
    [ThreadStatic]
    private static Parser? _ofThread;

    public override string Id => "workers-state";

    public override string Title => "A state that belongs to a thread";

    public override string Question => "How much time does it save to reuse expensive objects that are bound to a thread?";

    public override string Method =>
        "Each item uses a parser for 50 µs. A parser takes 5 ms to create and throws when it is used on another thread. "
        + "'no pool' creates one for each item, on the thread pool; 'thread static' keeps one for each thread of the thread "
        + "pool, where nothing ever disposes or replaces it; Poolhouse is a worker pool with as many workers as the machine "
        + "has cores. Workers have created their states before the first counted round.";

    protected override string ParameterName => "items";

    public override Verdict Judge(IReadOnlyList<Measurement> results)
    {
        var cell = Results.Cells(results).LastOrDefault();
        return cell is null || Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.NoPool) is not { } ratio
            ? new Verdict(Outcome.Unknown, "Not measured.")
            : new Verdict(
                ratio <= Crossover.Pays ? Outcome.Pays : Outcome.DoesNotPay,
                $"Pooling {(ratio <= Crossover.Pays ? "pays" : "does not pay")}: an item takes " +
                $"{TimeOf(cell, RivalNames.NoPool)} with a parser of its own, {TimeOf(cell, RivalNames.ThreadStatic)} "
                + $"with a thread static, {TimeOf(cell, RivalNames.Poolhouse)} on a worker pool.");
    }

    protected override IReadOnlyList<int> ValuesOf(bool isQuick) => [isQuick ? 100 : 400];

    protected override IReadOnlyList<Contender> ContendersOf(int value)
    {
        return
        [
            new JobContender(RivalNames.NoPool, value, static () => new Parser().Parse(), Runner.OfThreadPool),
            new JobContender(
                RivalNames.ThreadStatic, value, static () => (_ofThread ??= new Parser()).Parse(), Runner.OfThreadPool),
            new JobContender(
                RivalNames.Poolhouse,
                value,
                static () => 0,
                job => Runner.OfWorkers(
                    job, Environment.ProcessorCount, static () => new Parser(), static parser => parser.Parse())),
        ];
    }
}
