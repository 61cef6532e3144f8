using System.Data.Common;
using System.Globalization;
using System.Net.Sockets;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Poolhouse.Extensions.Health;

/// <summary>
/// The table of states: for each <see cref="PoolCondition"/> its health, its cause, and what to do. The log, the health checks
/// and the reports take all of their texts from here.
/// </summary>
internal static class PoolStates
{
    private const int MaxCauses = 5;

    public const string Rejected =
        "The last change of the configuration was rejected: the log (event 1301) shows the reasons.";

    /// <param name="figures">The figures of the pool.</param>
    /// <param name="failure">The status of a pool that cannot serve.</param>
    /// <param name="saturated">The status of a saturated pool.</param>
    public static HealthStatus GetStatus(PoolFigures figures, HealthStatus failure, HealthStatus saturated) =>
        figures.Condition switch
        {
            PoolCondition.Working => HealthStatus.Healthy,
            PoolCondition.Saturated => saturated,

            // While existing items serve, or while only a caller can find out whether the outage is over, a load balancer must
            // continue to send callers.
            PoolCondition.Outage when HasItems(figures) || IsLeftToCallers(figures) => HealthStatus.Degraded,
            PoolCondition.Outage or PoolCondition.Draining or PoolCondition.Closed => failure,
            _ => HealthStatus.Degraded,
        };

    /// <summary>
    /// Says what the state is, why, and which setting to change. Never shows the message of an exception: it may have secrets.
    /// </summary>
    /// <param name="figures">The figures of the pool.</param>
    /// <param name="limit">The limit of the pool and its setting.</param>
    public static string Explain(PoolFigures figures, string limit)
    {
        var invariant = CultureInfo.InvariantCulture;
        return figures.Condition switch
        {
            PoolCondition.Working => "The pool is working.",
            PoolCondition.Leaking => string.Create(
                invariant,
                $"Leaking: an item has been leased for {figures.OldestLease.TotalSeconds:0.###} s, longer than LeakThreshold; " +
                $"it may never be returned. The log (event 1210) shows who holds it: dispose that lease, or raise " +
                $"LeakThreshold."),
            PoolCondition.Saturated => string.Create(
                invariant,
                $"Saturated ({limit}: {figures.Leased} leased, {figures.Creating} creating): {figures.Waiting} waiting, the " +
                $"first for {figures.OldestWait.TotalSeconds:0.###} s; {AdviseOnSaturation(figures)}"),
            PoolCondition.NoRoom => string.Create(
                invariant,
                $"No room: {figures.Waiting} waiting, and the server has no room for another item. They get items that others " +
                $"return. Raise the limit of the server, or lower that of the pools that share it (here {limit})."),
            PoolCondition.Outage =>
                $"Outage{SinceAndCause(figures)}: no item can be created. {Prospect(figures)} Callers are refused after " +
                "OutageTimeout; nothing needs to be done here once the server is back.",
            PoolCondition.Suspended => string.Create(
                invariant, $"Suspended: no caller is served until Resume is called; {figures.Waiting} waiting."),
            PoolCondition.Draining => string.Create(
                invariant, $"Draining: {figures.Leased} leased, and no further caller is served."),
            _ => "Closed: the pool was disposed or has been drained.",
        };
    }

    /// <summary>The same for a caller that was not served, beside the counts.</summary>
    /// <param name="figures">The figures of the pool.</param>
    /// <param name="limit">The limit of the pool and its setting.</param>
    public static string Advise(PoolFigures figures, string limit) =>
        figures.Condition is PoolCondition.Working or PoolCondition.Saturated or PoolCondition.Leaking
            ? "Saturated: " + AdviseOnSaturation(figures)
            : Explain(figures, limit);

    /// <summary>Names an exception and its causes by their types and codes.</summary>
    public static string Describe(Exception failure)
    {
        var causes = new List<string>();
        for (var each = failure; each is not null && causes.Count < MaxCauses; each = each.InnerException)
        {
            var code = each switch
            {
                SocketException socket => $" ({socket.SocketErrorCode})",
                DbException { SqlState: { Length: > 0 } state } => $" ({state})",
                _ => "",
            };
            causes.Add(each.GetType() + code);
        }

        return string.Join(" because of ", causes);
    }

    private static bool HasItems(PoolFigures figures) => figures.Idle > 0 || figures.Leased > 0;

    private static bool IsLeftToCallers(PoolFigures figures) =>
        figures.RetryAfter == TimeSpan.Zero && figures is { Waiting: 0, Creating: 0 };

    private static string AdviseOnSaturation(PoolFigures figures) => figures.Creating > 0 && figures.Leased < figures.MaxLeased
        ? "items are created more slowly than they are requested. Raise MinIdle or MaxConcurrentCreates, or find out why " +
            "creation is slow."
        : "items are requested faster than they are returned. Hold them for less time, raise the limit, or set MaxWaiters to " +
            "fail sooner." + (figures.Leaking ? " One is leased for longer than LeakThreshold, and may never be returned." : "");

    private static string SinceAndCause(PoolFigures figures) => figures.Outage is { } outage
        ? string.Create(
            CultureInfo.InvariantCulture,
            $" since {outage.Since:yyyy-MM-dd HH:mm:ss} UTC ({outage.Duration.TotalSeconds:0.#} s), because of " +
            $"{Describe(outage.LastFailure)}")
        : "";

    private static string Prospect(PoolFigures figures)
    {
        var attempt = IsLeftToCallers(figures) ? "The next caller triggers another attempt."
            : figures.RetryAfter == TimeSpan.Zero ? "The pool tries again now."
            : string.Create(
                CultureInfo.InvariantCulture, $"The pool tries again in {figures.RetryAfter.TotalSeconds:0.###} s.");
        return HasItems(figures) ? "Only the existing items are available. " + attempt : attempt;
    }
}
