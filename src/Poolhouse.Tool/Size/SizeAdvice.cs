using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Size;

/// <summary>The recommended size, and the reason.</summary>
/// <param name="Chosen">The smallest that is as good as the best.</param>
/// <param name="Best">The one with the most queries a second.</param>
/// <param name="Text">Both, with what fewer and more connections do, in words.</param>
/// <param name="IsConclusive">Whether the rounds differ by less than the sizes do.</param>
internal sealed record SizeAdvice(SizePoint Chosen, SizePoint Best, string Text, bool IsConclusive)
{
    /// <summary>A size with at least this share of the best throughput is as good: the rest is noise, and each connection costs
    /// the server memory.</summary>
    public const double GoodShare = 0.95;

    private const double QuietSpread = 1.15;

    /// <summary>If the rounds of one size differ by more, which size is best is a matter of chance.</summary>
    private const double MostSpread = 1.5;

    /// <returns>Null when no query was done with any size.</returns>
    /// <param name="points">What was measured, in any order.</param>
    /// <param name="fillsServer">Whether the largest size is all that the server has room for.</param>
    public static SizeAdvice? Of(IReadOnlyList<SizePoint> points, bool fillsServer = false)
    {
        var ascending = points.OrderBy(point => point.Size).ToList();
        if (!ascending.Exists(point => point.PerSecond > 0))
        {
            return null;
        }

        var best = ascending.MaxBy(point => point.PerSecond);
        var place = ascending.FindIndex(point => point.PerSecond >= best.PerSecond * GoodShare);
        var chosen = ascending[place];
        string?[] sentences =
        [
            AboutChosen(chosen, best),
            place == 0
                ? null
                : $"{Connections(ascending[place - 1].Size)} {Does(ascending[place - 1])} only {Rate(ascending[place - 1])}.",
            place == ascending.Count - 1 ? AboutTheEnd(ascending.Count, fillsServer) : AboutMore(chosen, ascending[^1]),
            AboutNoise(ascending),
        ];
        var isConclusive = SpreadOf(ascending) <= MostSpread;
        var text = string.Join(' ', sentences.OfType<string>());
        return new SizeAdvice(chosen, best, isConclusive ? text : $"Inconclusive. Provisional result: {text}", isConclusive);
    }

    private static string AboutChosen(SizePoint chosen, SizePoint best)
    {
        var found = $"{Connections(chosen.Size)}: {Rate(chosen)}, half of the queries within {Time(chosen.Median)} and 99 of 100 "
            + $"within {Time(chosen.Slow)}.";
        return chosen.Size == best.Size
            ? $"{found} No other size has a higher throughput."
            : $"{found} That is {Units.Digits(chosen.PerSecond / best.PerSecond * 100)} % of the maximum, {Rate(best)} with "
                + $"{Units.Count(best.Size)}.";
    }

    private static string AboutMore(SizePoint chosen, SizePoint largest)
    {
        var more =
            $"{Connections(largest.Size)} {Does(largest)} {Rate(largest)}, with 99 of 100 queries within {Time(largest.Slow)}";
        return largest.PerSecond < chosen.PerSecond
            ? $"{more}: queries then wait inside the database instead."
            : $"{more}: hardly any gain.";
    }

    private static string? AboutTheEnd(int sizes, bool fillsServer) => sizes == 1
        ? null
        : fillsServer
        ? "No larger size was measured, because the server has no room for more connections."
        : "No larger size was measured, and a larger one may have a higher throughput: try again with more --callers, if there "
            + "are that many.";

    private static string? AboutNoise(List<SizePoint> points)
    {
        var spread = SpreadOf(points);
        return spread <= QuietSpread ? null
            : double.IsNaN(spread)
            ? "Each size was measured once, so it is unknown by how much the results differ by chance: measure longer with --seconds."
            : $"The rounds of one size differ by {Units.Digits((spread - 1) * 100)} % in the median, more than the threshold " +
                "for comparing sizes: measure longer with --seconds, or when machine and server are quiet.";
    }

    private static double SpreadOf(List<SizePoint> points)
    {
        double[] spreads = [.. points.Select(point => point.Spread).Where(double.IsFinite).Order()];
        return spreads.Length == 0 ? double.NaN : spreads[spreads.Length / 2];
    }

    private static string Connections(int size) => size == 1 ? "1 connection" : $"{Units.Count(size)} connections";

    private static string Does(SizePoint point) => point.Size == 1 ? "reaches" : "reach";

    private static string Rate(SizePoint point) => Finding.TextOf(point.PerSecond, Quantity.PerSecond);

    private static string Time(double seconds) => Units.Duration(seconds * 1e9);
}
