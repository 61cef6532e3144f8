namespace Poolhouse.Tool.Bench.Charts;

/// <summary>A mark on an axis.</summary>
internal readonly record struct Tick(double Value, string Label);
