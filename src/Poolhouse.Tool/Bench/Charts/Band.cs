namespace Poolhouse.Tool.Bench.Charts;

/// <summary>A shaded range of the x axis, with its name above it.</summary>
internal sealed record Band(double From, double To, string Label);
