namespace Poolhouse.Tool.Bench.Charts;

/// <summary>A value at a position. <paramref name="Text"/> is how the table and the tooltip write the value.</summary>
internal readonly record struct Point(double X, double Y, string Text)
{
    /// <summary>From the smallest to the largest value that was measured here; null where there is only one.</summary>
    public (double From, double To)? Spread { get; init; }
}
