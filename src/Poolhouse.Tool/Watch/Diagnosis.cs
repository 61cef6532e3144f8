using System.Globalization;

namespace Poolhouse.Tool.Watch;

/// <summary>The verdict on a pool: what is wrong, by which figures, and what to do next.</summary>
internal sealed record Diagnosis
{
    private const double Slower = 1.5;
    private const double MuchOlder = 2;
    private const double LeakFactor = 20;

    private static readonly TimeSpan _leakAge = TimeSpan.FromSeconds(60);

    // The pool measures uses by a clock that is off by up to 16 ms.
    private static readonly TimeSpan _measurable = TimeSpan.FromMilliseconds(50);

    public required PoolSnapshot Pool { get; init; }

    public required Rule Rule { get; init; }

    /// <summary>The verdict in a word: <c>SATURATED 41 s</c>.</summary>
    public required string Verdict { get; init; }

    /// <summary>How many wait and who holds the items.</summary>
    public required string Figures { get; init; }

    /// <summary>Whether uses got slower or more; empty if it is not known.</summary>
    public required string Change { get; init; }

    /// <summary>What to do next; empty if nothing is to be done.</summary>
    public required string Next { get; init; }

    /// <summary>The section of the documentation about it; null if there is none.</summary>
    public string? Url => Rule switch
    {
        Rule.Leak => Docs.Section("leak"),
        Rule.SlowUses => Docs.Section("saturated-by-slow-uses"),
        Rule.MoreUses => Docs.Section("saturated-by-more-uses"),
        Rule.TooLarge => Docs.Section("too-large"),
        Rule.Outage => Docs.Section("outage"),
        Rule.NoRoom => Docs.Section("no-room"),
        _ => null,
    };

    /// <summary>Judges the latest snapshot of a pool by those before it.</summary>
    public static Diagnosis Of(PoolHistory history)
    {
        var pool = history.Last;
        var rule = RuleFor(history);
        return new Diagnosis
        {
            Pool = pool,
            Rule = rule,
            Verdict = VerdictOf(rule, history),
            Figures = FiguresOf(pool, rule),
            Change = ChangeOf(history),
            Next = NextFor(rule, history),
        };
    }

    /// <summary>The greatest distress first; then those with the longest queues.</summary>
    public static IReadOnlyList<Diagnosis> Sort(IEnumerable<Diagnosis> all) =>
    [
        .. all.OrderByDescending(each => each.Rule).ThenByDescending(each => each.Pool.Waiting)
            .ThenByDescending(each => each.Pool.OldestWait).ThenBy(each => each.Pool.Name, StringComparer.Ordinal)
            .ThenBy(each => each.Pool.Id),
    ];

    public bool IsWorseThan(Diagnosis other) => Distress.CompareTo(other.Distress) > 0;

    private (Rule, long, TimeSpan, TimeSpan) Distress => (Rule, Pool.Waiting, Pool.OldestWait, Pool.OldestLease);

    private static Rule RuleFor(PoolHistory history)
    {
        var pool = history.Last;
        return pool.Condition switch
        {
            PoolCondition.Outage => Rule.Outage,
            PoolCondition.NoRoom => Rule.NoRoom,
            PoolCondition.Suspended => Rule.Suspended,
            PoolCondition.Draining or PoolCondition.Closed => Rule.Draining,
            _ when IsLeaking(history) => Rule.Leak,
            _ when IsSaturated(history) => IsSlower(history) ? Rule.SlowUses : Rule.MoreUses,
            _ => history.Totals.Advise()?.StartsWith("Too large", StringComparison.Ordinal) == true ? Rule.TooLarge : Rule.None,
        };
    }

    // Without a threshold, a lease is a leak if it is both old and much older than a use of this pool takes.
    private static bool IsLeaking(PoolHistory history)
    {
        var pool = history.Last;
        return pool.Leased > 0 && (pool.LeakThreshold is { } threshold
            ? pool.OldestLease >= threshold
            : pool.OldestLease >= _leakAge && pool.MeanUse > TimeSpan.Zero && pool.OldestLease >= pool.MeanUse * LeakFactor);
    }

    private static bool IsSaturated(PoolHistory history)
    {
        var pool = history.Last;
        return pool.Condition == PoolCondition.Saturated || (pool.Waiting > 0 && (pool.IsFull || pool.Max == 0))
            || pool.Timeouts + pool.Shed > history.WindowStart.Timeouts + history.WindowStart.Shed;
    }

    /// <summary>Whether uses take longer than before: those that have ended, or those in progress by their age.</summary>
    private static bool IsSlower(PoolHistory history)
    {
        var usual = history.UsualUse;
        var pool = history.Last;
        if (usual == TimeSpan.Zero)
        {
            // No use has ever ended: what is in progress is all there is.
            return pool.OldestLease >= _measurable;
        }

        var age = TypicalAge(pool);
        return (history.RecentUse >= _measurable && history.RecentUse >= usual * Slower)
            || (age >= _measurable && age >= usual * MuchOlder);
    }

    private static TimeSpan TypicalAge(PoolSnapshot pool) =>
        pool.OldestLeases.Count == 0 ? TimeSpan.Zero : pool.OldestLeases[pool.OldestLeases.Count / 2].Age;

    private static string VerdictOf(Rule rule, PoolHistory history)
    {
        var pool = history.Last;
        var waiting = history.WaitingSince > pool.OldestWait ? history.WaitingSince : pool.OldestWait;
        return rule switch
        {
            Rule.Leak => $"LEAK {Span(pool.OldestLease)}",
            Rule.SlowUses or Rule.MoreUses => $"SATURATED {Span(waiting)}",
            Rule.Outage => $"OUTAGE {Span(pool.Outage > TimeSpan.Zero ? pool.Outage : history.ConditionSince)}",
            Rule.NoRoom => $"NO ROOM {Span(waiting)}",
            Rule.Suspended => $"SUSPENDED {Span(history.ConditionSince)}",
            Rule.Draining => pool.Condition == PoolCondition.Closed ? "CLOSED" : "DRAINING",
            Rule.TooLarge => "TOO LARGE",
            _ => "ok",
        };
    }

    private static string FiguresOf(PoolSnapshot pool, Rule rule)
    {
        var parts = new List<string>();
        if (pool.Waiting > 0)
        {
            parts.Add($"{Units.Count(pool.Waiting)} wait, oldest {Span(pool.OldestWait)}");
        }

        var held = pool.Max > 0 ? $"{Units.Count(pool.Leased)}/{Units.Count(pool.Max)} held" : $"{Units.Count(pool.Leased)} held";
        if (rule == Rule.None)
        {
            return held;
        }

        foreach (var holder in pool.Holders.Where(holder => holder.Label.Length > 0).Take(2))
        {
            held += $", {Units.Count(holder.Count)} by {holder.Label}";
        }

        parts.Add(pool.OldestLease > TimeSpan.Zero ? $"{held}, oldest {Span(pool.OldestLease)}" : held);
        return string.Join("; ", parts);
    }

    private static string ChangeOf(PoolHistory history)
    {
        var rate = history.Seconds > 0 ? $"{Units.Digits(history.RentsPerSecond)} rents/s" : "";
        var (usual, recent) = (history.UsualUse, history.RecentUse);
        var age = TypicalAge(history.Last);
        var use = usual == TimeSpan.Zero ? ""
            : recent >= _measurable && recent >= usual * Slower ? $"uses got slower: {Span(recent)}, before {Span(usual)}"
            : age >= _measurable && age >= usual * MuchOlder && history.Last.IsFull
                ? $"uses got slower: in progress for {Span(age)}, usually {Span(usual)}"
            : recent > TimeSpan.Zero ? $"uses take {Span(recent)}" : $"uses took {Span(usual)}";
        return string.Join("; ", new[] { use, rate }.Where(each => each.Length > 0));
    }

    private static string NextFor(Rule rule, PoolHistory history)
    {
        var pool = history.Last;
        var holder = pool.Holders.FirstOrDefault(each => each.Label.Length > 0)?.Label;
        var oldest = pool.OldestLeases is [{ Label.Length: > 0 } lease, ..] ? lease.Label : holder;
        var unknown = pool.HasLabels ? "the code that holds the items" : "the code that holds the items (LabelLeases shows it)";
        return rule switch
        {
            Rule.Leak => $"Find where {oldest ?? unknown} keeps its lease without disposing it; TrackLeases logs the stack.",
            Rule.SlowUses => $"Look at what {holder ?? unknown} waits for while it holds an item: a lock, a slow query, another "
                + "server. A larger pool would not help.",
            Rule.MoreUses => "Items are requested faster than they are returned. Hold them for less time, raise MaxSize if the "
                + "server has room, or set MaxWaiters to fail sooner.",
            Rule.Outage => $"Check the server ({(pool.Failure.Length > 0 ? pool.Failure : "see the log")}); the pool tries again "
                + $"{(pool.RetryAfter > TimeSpan.Zero ? $"in {Span(pool.RetryAfter)}" : "now")} and recovers by itself.",
            Rule.NoRoom => "Raise the limit of the server, or lower MaxSize of the pools that share it.",
            Rule.Suspended => "No caller is served until the application calls Resume.",
            Rule.TooLarge => history.Totals.Advise() ?? "",
            _ => history.Totals.Advise() ?? "",
        };
    }

    internal static string Span(TimeSpan time) => time.TotalSeconds switch
    {
        < 1 => Units.Duration(Math.Max(0, Math.Round(time.TotalMilliseconds, 1)) * 1e6),
        < 120 => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.#} s"),
        < 7200 => string.Create(CultureInfo.InvariantCulture, $"{time.TotalMinutes:0} min"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{time.TotalHours:0.#} h"),
    };
}
