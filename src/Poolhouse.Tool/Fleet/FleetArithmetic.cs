using System.Globalization;

namespace Poolhouse.Tool.Fleet;

/// <summary>What instances get when more and more of them share a server, computed as they compute it.</summary>
internal static class FleetArithmetic
{
    private const int Spare = 1;
    private const int Width = 40;

    private static readonly int[] _factors = [1, 2, 5];

    public static IReadOnlyList<string> Describe(int instances, int places, int maxSize)
    {
        var lines = new List<string>
        {
            string.Create(
                CultureInfo.InvariantCulture,
                $"{instances} instances x MaxSize {maxSize} = {(long)instances * maxSize} sessions, and the server "
                + $"accepts {places}."),
            "Each instance keeps one session for itself, and one place stays free. If all callers wait:",
            string.Empty,
            "INSTANCES   FOR POOLS   EACH",
        };
        foreach (var count in Counts(instances))
        {
            var room = places - Spare - count;
            var shares = Settle(count, room, maxSize);
            var (least, most) = (shares.Min(), shares.Max());
            var each = least == most ? $"{least}" : $"{least} to {most}";
            var bar = new string('#', (int)Math.Ceiling((double)Width * most / maxSize));
            lines.Add(string.Create(CultureInfo.InvariantCulture, $"{count,9}   {Math.Max(0, room),9}   {each,-8} {bar}"));
        }

        var fits = (places - Spare) / 2;
        lines.Add(string.Empty);
        lines.Add(instances > fits
            ? string.Create(
                CultureInfo.InvariantCulture,
                $"Beyond {fits} instances, some have no session for their callers: raise the limit, or put a proxy in between.")
            : string.Create(CultureInfo.InvariantCulture, $"Up to {fits} instances, each has at least one session."));
        return lines;
    }

    /// <summary>1, 2, 5, 10, 20, 50 … and the number itself.</summary>
    private static IEnumerable<int> Counts(int instances)
    {
        for (var decade = 1; decade < instances; decade *= 10)
        {
            foreach (var step in _factors.Select(factor => factor * decade).Where(step => step < instances))
            {
                yield return step;
            }
        }

        yield return instances;
    }

    private static int[] Settle(int count, int room, int maxSize)
    {
        var members = new (int Held, int Wanted)[count];
        Array.Fill(members, (0, maxSize));
        return [.. PoolBudget.Share(room, members).Select(share => Math.Min(share, maxSize))];
    }
}
