using Poolhouse.Tool.Bench.Report.Comparing;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>All that a run measured.</summary>
/// <param name="Machine">Where and when.</param>
/// <param name="Studies">Those that were reached.</param>
/// <param name="Elapsed">How long it took.</param>
/// <param name="WasStopped">True when the user ended it early.</param>
internal sealed record BenchResult(
    Machine Machine, IReadOnlyList<StudyResult> Studies, TimeSpan Elapsed, bool WasStopped)
{
    /// <summary>What the page is called.</summary>
    public string Heading { get; init; } = "Does a pool pay here?";

    /// <summary>Against an earlier run, if one was named.</summary>
    public Comparison? Comparison { get; init; }

    public IReadOnlyList<ExperimentResult> Experiments => [.. Studies.OfType<ExperimentResult>()];

    public IReadOnlyList<ScenarioResult> Scenarios => [.. Studies.OfType<ScenarioResult>()];

    /// <summary>Whether pools were compared, so that the page has advice to give.</summary>
    public bool HasAdvice => Studies.Any(study => study.Standings.Count > 1);

    public bool IsEmpty => Studies.All(study => study.IsEmpty);
}
