namespace Poolhouse.Tool.Bench.Charts;

/// <summary>A stretch of the x axis, shaded, with its name above it.</summary>
internal sealed record Band(double From, double To, string Label);
