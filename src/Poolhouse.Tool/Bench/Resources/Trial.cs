using Poolhouse.Tool.Bench.Charts;

namespace Poolhouse.Tool.Bench.Resources;

/// <summary>What one pool did in one scenario.</summary>
internal sealed record Trial(string Rival, IReadOnlyList<Curve> Curves, IReadOnlyList<Finding> Findings)
{
    /// <summary>The period of the fault, if there was one.</summary>
    public Band? Band { get; init; }

    /// <summary>What happened when; null: nothing to mark.</summary>
    public IReadOnlyList<Tick>? Events { get; init; }

    public Curve? CurveOf(string name) => Curves.FirstOrDefault(curve => curve.Name == name);

    public Finding? FindingOf(string name) => Findings.FirstOrDefault(finding => finding.Name == name);
}
