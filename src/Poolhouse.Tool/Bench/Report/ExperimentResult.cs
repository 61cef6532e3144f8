using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Report.Summing;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>An experiment and what was measured.</summary>
internal sealed record ExperimentResult(Experiment Experiment, IReadOnlyList<Measurement> Measurements, int PlannedCells)
    : StudyResult
{
    public override Study Study => Experiment;

    public override Verdict Verdict =>
        !IsComplete || Failure is not null ? Verdict.Incomplete(Failure)
        : Noise.Hides(Measurements, Standings) is { } noise ? new Verdict(Outcome.Inconclusive, noise)
        : Experiment.Judge(Measurements) is var verdict && TimesText is { Length: > 0 } times
            ? verdict with { Text = $"{verdict.Text} {times}" }
            : verdict;

    public override IReadOnlyList<Standing> Standings => Summing.Standings.Of(Measurements);

    public override string LossText => Losses.ToPools(Measurements) is [var worst, ..] losses
        ? $" Another pool is ahead in {Units.Count(losses.Count)} of {Units.Count(Results.Cells(Measurements).Count())} cells; "
            + $"the worst: {Experiment.Describe(worst.Own)}, where Poolhouse takes {Units.Ratio(worst.Ratio)} as long as "
            + $"{worst.Best.Rival}."
        : "";

    public override bool IsEmpty => Measurements.Count == 0;

    public override bool IsComplete => Results.Cells(Measurements).Count() == PlannedCells;

    public override int Lost => Losses.ToPools(Measurements).Count;

    public override string Details => "Fastest and slowest rounds, bytes and collections";

    // The same figures as in the picture.
    private string TimesText
    {
        get
        {
            var others = Standings.Skip(1).Select(each => $"{each.Rival} {each.Text}").ToList();
            var cells = Results.Cells(Measurements).Count();
            return others.Count == 0
                ? ""
                : $"Time, if Poolhouse takes 1×: {string.Join(", ", others)}{(cells > 1 ? $" (mean of {Units.Count(cells)} cells)" : "")}.";
        }
    }

    public override IReadOnlyList<ChartGroup> Draw() => Experiment.Draw(Measurements);

    public override IReadOnlyList<Table> Tabulate() => Experiment.Tabulate(Measurements);

    public override string WriteCsv() => CsvReport.Write(this);

    public override string NoteFor(Machine machine) => Measurements.Max(each => each.Threads) > machine.Cores
        ? $" · more than {Units.Threads(machine.Cores)} wait for a core in turn"
        : "";
}
