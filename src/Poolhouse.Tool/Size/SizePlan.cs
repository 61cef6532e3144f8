namespace Poolhouse.Tool.Size;

/// <summary>Which sizes are measured, and for how long each.</summary>
/// <param name="Sizes">Ascending.</param>
/// <param name="Total">The time for all.</param>
internal sealed record SizePlan(IReadOnlyList<int> Sizes, TimeSpan Total)
{
    /// <summary>How often each size is measured: up, down and up again, so that what changes with time changes for all.</summary>
    public const int Rounds = 3;

    /// <summary>The share of a turn in which connections are opened and nothing is counted yet.</summary>
    public const double WarmUpShare = 0.25;

    /// <summary>The share that counts. The rest is for the last queries and for closing.</summary>
    public const double WatchShare = 0.65;

    /// <summary>A turn must have time for at least this many consecutive queries.</summary>
    private const int LeastQueries = 5;

    public int Turns => Sizes.Count * Rounds;

    /// <summary>The sizes in the order of their turns.</summary>
    public IReadOnlyList<int> Order =>
        [.. Enumerable.Range(0, Rounds).SelectMany(round => round % 2 == 0 ? Sizes : Sizes.Reverse())];

    /// <summary>Sizes from one connection to one for each caller, each some third or half larger than the one before.</summary>
    /// <param name="callers">How many callers there are; more connections than these are never used.</param>
    /// <param name="room">How many connections the server has room for; null: unknown.</param>
    /// <param name="total">The time for all.</param>
    public static SizePlan For(int callers, int? room, TimeSpan total)
    {
        var most = Math.Max(1, Math.Min(callers, room ?? callers));
        var sizes = new SortedSet<int> { most };
        for (var power = 1; power <= most; power *= 2)
        {
            sizes.Add(power);
            if (power >= 2 && power + (power / 2) <= most)
            {
                sizes.Add(power + (power / 2));
            }
        }

        return new SizePlan([.. sizes], total);
    }

    /// <summary>The least time in which a query can be measured with every size.</summary>
    public TimeSpan LeastFor(TimeSpan query) => query * (LeastQueries * Turns / WatchShare);
}
