using System.Globalization;

namespace Poolhouse.AspNetCore;

/// <summary>What clients are told of a pool that did not serve them: its state, never its name, size or failures.</summary>
internal static class PoolAnswers
{
    /// <summary>The name of a state on pages and in answers: "no room".</summary>
    public static string NameOf(PoolCondition condition) => condition switch
    {
        PoolCondition.NoRoom => "no room",
        _ => condition.ToString().ToLowerInvariant(),
    };

    public static PoolOutage? OutageOf(PoolStatistics? statistics) => statistics switch
    {
        ResourcePoolStatistics resources => resources.Outage,
        SharedResourcePoolStatistics shared => shared.Items.Outage,
        _ => null,
    };

    public static string DetailOf(PoolCondition condition, PoolOutage? outage) => condition switch
    {
        PoolCondition.Outage when outage is not null => string.Create(
            CultureInfo.InvariantCulture,
            $"Outage since {outage.Since:yyyy-MM-dd HH:mm:ss} UTC: a server that this request needs cannot be reached. Try " +
            $"again later."),
        PoolCondition.Outage => "Outage: a server that this request needs cannot be reached. Try again later.",
        PoolCondition.NoRoom => "No room: a server that this request needs accepts no more connections. Try again later.",
        PoolCondition.Suspended => "Suspended: what this request needs is not available at present. Try again later.",
        PoolCondition.Draining or PoolCondition.Closed => "Closed: this instance of the service is stopping. Try again.",
        _ => "Saturated: there are more requests than the service can handle. Try again later.",
    };

    /// <summary>The value of Retry-After, in seconds: at least one.</summary>
    /// <returns>Null if the pool cannot estimate the time.</returns>
    public static long? RetryAfterOf(IPoolException refusal, PoolOutage? outage)
    {
        var time = refusal.Condition is PoolCondition.Outage
            ? refusal.RetryAfter ?? outage?.RetryAfter ?? TimeSpan.Zero
            : refusal.RetryAfter;
        return time is { } value ? (long)Math.Clamp(Math.Ceiling(value.TotalSeconds), 1, int.MaxValue) : null;
    }
}
