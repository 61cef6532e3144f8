using Poolhouse.Tool.Experiments;
using Poolhouse.Tool.Measuring;

namespace Poolhouse.Tool.Report;

/// <summary>An experiment and what came out.</summary>
internal sealed record ExperimentResult(Experiment Experiment, IReadOnlyList<Measurement> Measurements, int PlannedCells)
{
    public bool IsComplete => Results.Cells(Measurements).Count() == PlannedCells;

    public Verdict Verdict => Experiment.Judge(Measurements);
}
