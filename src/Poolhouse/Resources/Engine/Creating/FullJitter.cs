namespace Poolhouse.Resources.Engine.Creating;

/// <summary>
/// Delays after failures ("full jitter"; M. Brooker, <i>Exponential Backoff And Jitter</i>, AWS Architecture Blog 2015).
/// </summary>
internal static class FullJitter
{
    /// <summary>
    /// Random between zero and <paramref name="delay"/> times two to the number of failures before, at most
    /// <paramref name="maxDelay"/>.
    /// </summary>
    public static long Next(Random random, int failuresBefore, long delay, long maxDelay) =>
        (long)(random.NextDouble() * Longest(failuresBefore, delay, maxDelay));

    /// <summary>Random between that delay and twice as long, at most <paramref name="maxDelay"/>.</summary>
    public static long NextOfUpperHalf(Random random, int failuresBefore, long delay, long maxDelay) =>
        (long)((1 + random.NextDouble()) / 2 * Longest(failuresBefore + 1, delay, maxDelay));

    private static double Longest(int failuresBefore, long delay, long maxDelay) =>
        Math.Min(maxDelay, delay * Math.Pow(2, Math.Min(failuresBefore, 30)));
}
