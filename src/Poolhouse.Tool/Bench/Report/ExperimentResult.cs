using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>An experiment and what was measured.</summary>
internal sealed record ExperimentResult(Experiment Experiment, IReadOnlyList<Measurement> Measurements, int PlannedCells)
    : StudyResult
{
    public override Study Study => Experiment;

    public override Verdict Verdict =>
        IsComplete && Failure is null ? Experiment.Judge(Measurements) : Verdict.Incomplete(Failure);

    public override bool IsEmpty => Measurements.Count == 0;

    public override bool IsComplete => Results.Cells(Measurements).Count() == PlannedCells;

    public override int Lost => Losses.ToPools(Measurements).Count;

    public override string Details => "Fastest and slowest rounds, bytes and collections";

    public override IReadOnlyList<ChartGroup> Draw() => Experiment.Draw(Measurements);

    public override IReadOnlyList<Table> Tabulate() => Experiment.Tabulate(Measurements);

    public override string WriteCsv() => CsvReport.Write(this);

    public override string NoteFor(Machine machine) => Measurements.Max(each => each.Threads) > machine.Cores
        ? $" · more than {Units.Threads(machine.Cores)} wait for a core in turn"
        : "";
}
