namespace Poolhouse.Testing;

/// <summary>Checks a recorded history for violations that a correct pool never causes.</summary>
/// <remarks>
/// <para>
/// Sound: it reports only violations that no order of the actual events could explain, whatever threads did between a call and
/// its stamp. Not complete: it can miss violations that only a stamp taken inside the pool could show. Time: that of sorting the
/// history.
/// </para>
/// <para>
/// General linearizability is NP-complete to check (P. Gibbons and E. Korach, <i>Testing Shared Memories</i>, SIAM Journal on
/// Computing 1997). A pool is easier, because an item names its owners one after the other.
/// </para>
/// </remarks>
public static class HistoryChecker
{
    /// <summary>Runs all checks of this class in turn.</summary>
    /// <param name="rents">The rents, in any order.</param>
    /// <param name="lives">The lives of the items, in any order.</param>
    /// <param name="maxLive">
    /// The maximum number of live items: the highest limit that the pool had, and one more for each creation that was abandoned,
    /// because its item may come late, and then exists until it is destroyed.
    /// </param>
    /// <returns>A sentence for each kind of violation found; empty if there is none.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="rents"/> or <paramref name="lives"/> is null.</exception>
    public static IReadOnlyList<string> FindViolations(
        IReadOnlyCollection<HistoryRent> rents, IReadOnlyCollection<HistoryLife> lives, int maxLive)
    {
        ArgumentNullException.ThrowIfNull(rents);
        ArgumentNullException.ThrowIfNull(lives);
        string?[] found =
        [
            FindSharedItem(rents),
            FindUseOfDead(rents, lives),
            FindTooManyAlive(lives, maxLive),
            FindOvertaking(rents, lives),
        ];
        return [.. found.OfType<string>()];
    }

    /// <summary>Finds an item with two owners at the same time.</summary>
    /// <param name="rents">The rents, in any order.</param>
    /// <returns>The first violation, or null.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="rents"/> is null.</exception>
    public static string? FindSharedItem(IReadOnlyCollection<HistoryRent> rents)
    {
        ArgumentNullException.ThrowIfNull(rents);
        foreach (var uses in UsesOf(rents).Values)
        {
            for (var i = 1; i < uses.Count; i++)
            {
                var (earlier, later) = (uses[i - 1], uses[i]);
                if (earlier.Ending is null || earlier.Ending > later.Rented)
                {
                    return $"An item had two owners: one from {earlier.Rented} to {Show(earlier.Ending)}, one from " +
                        $"{later.Rented} to {Show(later.Ending)}.";
                }
            }
        }

        return null;
    }

    /// <summary>Finds an item that was owned after its destruction had begun, or that was created or destroyed twice.</summary>
    /// <param name="rents">The rents, in any order.</param>
    /// <param name="lives">The lives of the items, in any order.</param>
    /// <returns>The first violation, or null.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="rents"/> or <paramref name="lives"/> is null.</exception>
    public static string? FindUseOfDead(IReadOnlyCollection<HistoryRent> rents, IReadOnlyCollection<HistoryLife> lives)
    {
        ArgumentNullException.ThrowIfNull(rents);
        ArgumentNullException.ThrowIfNull(lives);
        var known = new Dictionary<object, HistoryLife>(ReferenceEqualityComparer.Instance);
        foreach (var life in lives)
        {
            if (!known.TryAdd(life.Item, life))
            {
                return $"An item was created or destroyed twice: at {known[life.Item].Created} and at {life.Created}.";
            }
        }

        foreach (var rent in rents)
        {
            // Until the lease ends, the item must not be destroyed.
            if (known.TryGetValue(rent.Item, out var life) && life.Destroying is { } end && end < (rent.Ending ?? long.MaxValue))
            {
                return $"An item was used from {rent.Rented} to {Show(rent.Ending)}, although its destruction began at {end}.";
            }
        }

        return null;
    }

    /// <summary>Finds a moment with more live items than allowed.</summary>
    /// <param name="lives">The lives of the items, in any order.</param>
    /// <param name="maxLive">The maximum number of live items, including those of abandoned creations.</param>
    /// <returns>The first violation, or null.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="lives"/> is null.</exception>
    public static string? FindTooManyAlive(IReadOnlyCollection<HistoryLife> lives, int maxLive)
    {
        ArgumentNullException.ThrowIfNull(lives);
        var changes = lives.Select(life => (At: life.Created, Change: 1))
            .Concat(lives.Where(life => life.Destroying is not null).Select(life => (At: life.Destroying!.Value, Change: -1)))
            .OrderBy(change => change.At);
        var alive = 0;
        foreach (var (at, change) in changes)
        {
            alive += change;
            if (alive > maxLive)
            {
                return $"{alive} items were alive at {at}; {maxLive} are allowed.";
            }
        }

        return null;
    }

    /// <summary>Finds a caller that was served before another one that was already queued when it called.</summary>
    /// <param name="rents">The rents, in any order.</param>
    /// <param name="lives">The lives of the items, in any order.</param>
    /// <returns>The first violation, or null.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="rents"/> or <paramref name="lives"/> is null.</exception>
    /// <remarks>
    /// A caller was served at the latest when it had its lease, and at the earliest when the item's previous owner began to
    /// return it.
    /// </remarks>
    public static string? FindOvertaking(IReadOnlyCollection<HistoryRent> rents, IReadOnlyCollection<HistoryLife> lives)
    {
        ArgumentNullException.ThrowIfNull(rents);
        ArgumentNullException.ThrowIfNull(lives);
        var byEarliest = ServedAtEarliest(rents, lives).OrderByDescending(served => served.Earliest).ToList();
        var next = 0;
        HistoryRent? longestWaiting = null;
        foreach (var quick in rents.OrderByDescending(rent => rent.Rented))
        {
            // All callers that were certainly served after this one, and the first of them.
            for (; next < byEarliest.Count && byEarliest[next].Earliest > quick.Rented; next++)
            {
                var slow = byEarliest[next].Rent;
                if (slow.Queued is { } queued && (longestWaiting is null || queued < longestWaiting.Queued))
                {
                    longestWaiting = slow;
                }
            }

            if (longestWaiting is not null && longestWaiting.Queued < quick.Called)
            {
                return $"A caller that came at {quick.Called} was served by {quick.Rented}, before one that had been in the " +
                    "queue since " +
                    $"{longestWaiting.Queued} and had its item at {longestWaiting.Rented}.";
            }
        }

        return null;
    }

    private static IEnumerable<(HistoryRent Rent, long Earliest)> ServedAtEarliest(
        IReadOnlyCollection<HistoryRent> rents, IReadOnlyCollection<HistoryLife> lives)
    {
        var free = new Dictionary<object, long>(ReferenceEqualityComparer.Instance);
        foreach (var life in lives)
        {
            free.TryAdd(life.Item, life.Created);
        }

        foreach (var uses in UsesOf(rents).Values)
        {
            foreach (var use in uses)
            {
                yield return (use, Math.Max(use.Called, free.GetValueOrDefault(use.Item)));
                free[use.Item] = use.Ending ?? long.MaxValue;
            }
        }
    }

    private static Dictionary<object, List<HistoryRent>> UsesOf(IReadOnlyCollection<HistoryRent> rents)
    {
        var uses = new Dictionary<object, List<HistoryRent>>(ReferenceEqualityComparer.Instance);
        foreach (var rent in rents.OrderBy(rent => rent.Rented))
        {
            if (!uses.TryGetValue(rent.Item, out var ofItem))
            {
                uses.Add(rent.Item, ofItem = []);
            }

            ofItem.Add(rent);
        }

        return uses;
    }

    private static string Show(long? stamp) => stamp is { } value ? FormattableString.Invariant($"{value}") : "the end";
}
