using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench;

/// <summary>The cells in which Poolhouse is not the best choice, computed from the measurements.</summary>
internal static class Losses
{
    /// <summary>Slower than the best rival by more than this factor counts as lost.</summary>
    public const double Margin = 1.05;

    /// <summary>The cells lost to another pool, the worst first.</summary>
    public static IReadOnlyList<Loss> ToPools(IEnumerable<Measurement> results) =>
        Find(results, IsOtherPool);

    /// <summary>Whether the rival is a pool, and not one of Poolhouse.</summary>
    public static bool IsOtherPool(string rival) =>
        rival is not (RivalNames.NoPool or RivalNames.OneConnection) && !RivalNames.IsOwn(rival);

    /// <summary>The cells in which no pool at all was faster, the worst first.</summary>
    public static IReadOnlyList<Loss> ToNoPool(IEnumerable<Measurement> results) =>
        Find(results, rival => rival is RivalNames.NoPool);

    private static List<Loss> Find(IEnumerable<Measurement> results, Predicate<string> counts) =>
    [
        .. Results.Cells(results).Select(cell => Compare(cell, counts)).OfType<Loss>().OrderByDescending(loss => loss.Ratio),
    ];

    private static Loss? Compare(IReadOnlyList<Measurement> cell, Predicate<string> counts)
    {
        var best = cell.Where(result => result.Rival != RivalNames.Poolhouse
            && counts(result.Rival)).MinBy(result => result.Nanoseconds);
        return Results.Of(cell, RivalNames.Poolhouse) is { } own && best is not null
            && own.Nanoseconds > best.Nanoseconds * Margin
            ? new Loss(own, best)
            : null;
    }
}
