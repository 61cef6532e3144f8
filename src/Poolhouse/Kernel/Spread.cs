namespace Poolhouse.Kernel;

/// <summary>The time over which the items of a pool expire.</summary>
internal static class Spread
{
    public static void ThrowIfOutOfRange(TimeSpan spread)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(spread, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(spread, TimeSpan.FromDays(1));
    }
}
