namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>The middle of some values.</summary>
internal static class Medians
{
    public static double Of(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        var middle = sorted.Length / 2;
        return sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
