namespace Poolhouse.Tool.Bench.Resources;

/// <summary>What became of a value in the course of a trial.</summary>
internal sealed record Curve(string Name, IReadOnlyList<CurvePoint> Points);
