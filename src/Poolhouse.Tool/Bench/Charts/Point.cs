namespace Poolhouse.Tool.Bench.Charts;

/// <summary>A value at a position. <paramref name="Text"/> is how the table and the tooltip write the value.</summary>
internal readonly record struct Point(double X, double Y, string Text);
