namespace Poolhouse.Tool.Bench.Resources;

/// <summary>The course of a value during a trial.</summary>
internal sealed record Curve(string Name, IReadOnlyList<CurvePoint> Points);
