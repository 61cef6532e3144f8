namespace Poolhouse.Tool.Bench.Resources;

/// <summary>A value at a time, or at whatever else the scenario varies.</summary>
internal readonly record struct CurvePoint(double X, double Y);
