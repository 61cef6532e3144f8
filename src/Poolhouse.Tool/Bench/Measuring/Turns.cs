namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>The order in which rivals are measured.</summary>
internal static class Turns
{
    /// <summary>The order of a round: over a period of rounds, every rival follows every other one equally often.</summary>
    /// <param name="round">The number of the round, from 0.</param>
    /// <param name="rivals">How many there are: the rounds of a period, or half of them if the number is odd.</param>
    // What a rival leaves in the processor's caches affects the one after it. A balanced Latin square: E. J. Williams,
    // "Experimental designs balanced for the estimation of residual effects of treatments", 1949.
    public static int[] InRound(int round, int rivals)
    {
        // 0, 1, n - 1, 2, n - 2 … in the first round; each further one adds 1.
        var order = Enumerable.Range(0, rivals)
            .Select(place => place % 2 == 1 ? (place + 1) / 2 : rivals - (place / 2))
            .Select(rival => (rival + round) % rivals);
        return [.. rivals % 2 == 1 && round / rivals % 2 == 1 ? order.Reverse() : order];
    }
}
