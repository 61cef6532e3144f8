namespace Poolhouse.Tool.Report;

/// <summary>All that a run measured.</summary>
/// <param name="Machine">Where and when.</param>
/// <param name="Experiments">Those that were reached.</param>
/// <param name="Elapsed">How long it took.</param>
/// <param name="WasStopped">True when the user ended it early.</param>
internal sealed record BenchResult(
    Machine Machine, IReadOnlyList<ExperimentResult> Experiments, TimeSpan Elapsed, bool WasStopped)
{
    public bool IsEmpty => Experiments.All(experiment => experiment.Measurements.Count == 0);
}
