using System.Globalization;
using System.Text;

namespace Poolhouse;

/// <summary>
/// The counters that every kind of pool has, at one moment. Each kind has a class of its own with everything that it counts.
/// </summary>
/// <remarks>
/// An immutable snapshot. While other threads rent and return, related counters may be off by the operations in progress. Two
/// snapshots are never equal, even if all their numbers are: compare the numbers.
/// </remarks>
/// <seealso cref="CachePoolStatistics"/>
/// <seealso cref="ResourcePoolStatistics"/>
/// <seealso cref="SharedResourcePoolStatistics"/>
public abstract class PoolStatistics
{
    private static readonly TimeSpan _saturatedAfter = TimeSpan.FromSeconds(1);

    /// <summary>Leases begun: items rented, uses begun, requests admitted, items of work started.</summary>
    public long Rented { get; init; }

    /// <summary>
    /// Leases ended by a return, whether the item was kept or destroyed. Double returns are not counted, nor are the returns that
    /// count as <see cref="CachePoolStatistics.Discarded"/>.
    /// </summary>
    public long Returned { get; init; }

    /// <summary>Leases in progress. A number that only grows indicates that items are not being returned.</summary>
    public long Leased { get; init; }

    /// <summary>Whether the pool was disposed or is being drained: it can no longer be rented from.</summary>
    public bool Closed { get; init; }

    /// <summary>The state of the pool in one word: what these statistics mean for callers.</summary>
    public virtual PoolCondition Condition => ConditionOf(TimeSpan.Zero);

    /// <summary>
    /// Describes the pool in one line for each group of counters that are not all zero; for logs and debuggers.
    /// </summary>
    /// <returns>
    /// Lines such as <c>Rents: Rented 12, Hits 10, Waits 2</c>, separated by line feeds. The format may change.
    /// </returns>
    public sealed override string ToString()
    {
        var text = new StringBuilder();
        Describe(text);
        AppendLine(text, "Pool", (nameof(Closed), Closed));
        return text.Length == 0 ? "No activity." : text.ToString();
    }

    /// <summary>The line with which a pool describes itself.</summary>
    internal string Summarize(string name) => $"Pool '{name}'{(Closed ? " (closed)" : "")}: {Summary}";

    /// <summary>The current numbers, without the totals, on one line.</summary>
    internal virtual string Summary => $"{Leased} leased";

    /// <summary>What the instruments report of the pool.</summary>
    internal virtual PoolFigures Figures => new()
    {
        States = [("leased", Leased)],
        Rents = [("hit", Rented)],
        Returned = Returned,
    };

    /// <summary>Decides on the state of the pool: the one place that does, for pools of all kinds.</summary>
    /// <param name="oldestWait">How long the first caller has been waiting; zero if none is waiting.</param>
    /// <param name="leaking">Whether an item has been leased for longer than the threshold of leaks.</param>
    /// <param name="lacksRoom">Whether the server has no room for another item.</param>
    /// <param name="inOutage">Whether the last creation failed.</param>
    /// <param name="suspended">Whether the pool is suspended.</param>
    /// <returns>The worst state that applies.</returns>
    protected PoolCondition ConditionOf(
        TimeSpan oldestWait, bool leaking = false, bool lacksRoom = false, bool inOutage = false, bool suspended = false) =>
        Closed ? Leased > 0 ? PoolCondition.Draining : PoolCondition.Closed
        : suspended ? PoolCondition.Suspended
        : inOutage ? PoolCondition.Outage
        : lacksRoom && oldestWait > TimeSpan.Zero ? PoolCondition.NoRoom
        : oldestWait > _saturatedAfter ? PoolCondition.Saturated
        : leaking ? PoolCondition.Leaking
        : PoolCondition.Working;

    /// <summary>Appends the lines of <see cref="ToString"/>.</summary>
    /// <param name="text">The text so far.</param>
    protected virtual void Describe(StringBuilder text) =>
        AppendLine(text, "Rents", (nameof(Rented), Rented), (nameof(Returned), Returned), (nameof(Leased), Leased));

    /// <summary>
    /// Appends a line with those figures of a group that are neither zero nor false; appends nothing if all are.
    /// </summary>
    /// <param name="text">The text so far.</param>
    /// <param name="group">The name of the group.</param>
    /// <param name="figures">The names and values: numbers, times, or Booleans.</param>
    /// <exception cref="ArgumentNullException"><paramref name="text"/> or <paramref name="group"/> is null.</exception>
    protected static void AppendLine(StringBuilder text, string group, params ReadOnlySpan<(string Name, object Value)> figures)
    {
        ArgumentNullException.ThrowIfNull(text);
        ArgumentNullException.ThrowIfNull(group);
        var isFirst = true;
        foreach (var (name, value) in figures)
        {
            if (value is 0L or 0 or false or TimeSpan { Ticks: 0 })
            {
                continue;
            }

            _ = isFirst ? text.Append(text.Length == 0 ? string.Empty : "\n").Append(group).Append(": ") : text.Append(", ");
            isFirst = false;
            text.Append(name);
            _ = value switch
            {
                true => text,
                TimeSpan time => text.Append(CultureInfo.InvariantCulture, $" {time.TotalSeconds:0.###} s"),
                _ => text.Append(CultureInfo.InvariantCulture, $" {value}"),
            };
        }
    }
}
