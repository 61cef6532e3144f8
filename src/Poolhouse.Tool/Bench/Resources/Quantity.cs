namespace Poolhouse.Tool.Bench.Resources;

/// <summary>What a figure counts.</summary>
internal enum Quantity
{
    Count,
    Seconds,
    PerSecond,
    Share,
    Bytes,
}
