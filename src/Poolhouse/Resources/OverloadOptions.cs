namespace Poolhouse;

/// <summary>Configures when a resource pool sheds callers because it cannot keep up.</summary>
/// <remarks>
/// Controlled delay (CoDel; K. Nichols and V. Jacobson, <i>Controlling Queue Delay</i>, ACM Queue 2012; for pools first in
/// Elixir's db_connection). During a short burst, callers may wait without limit. But when even the shortest wait of a whole
/// <see cref="Interval"/> exceeded <see cref="Target"/>, the queue is not draining: callers that have waited longer than twice
/// the target are then shed with a <see cref="PoolOverloadedException"/>, so that later callers are served in time.
/// </remarks>
public sealed class OverloadOptions
{
    private static readonly TimeSpan _defaultTarget = TimeSpan.FromMilliseconds(50);

    /// <summary>The acceptable wait while the pool is continuously busy.</summary>
    /// <value>50 milliseconds by default; 1 millisecond to 1 hour, and not above <see cref="Interval"/>.</value>
    public TimeSpan Target { get; set; } = _defaultTarget;

    /// <summary>How long the waits must stay above the target before callers are shed.</summary>
    /// <value>1 second by default; 1 millisecond to 1 day.</value>
    public TimeSpan Interval { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>Copies the settings: later changes of this object have no effect on the copy.</summary>
    /// <returns>The copy.</returns>
    public OverloadOptions Copy() => (OverloadOptions)MemberwiseClone();

    /// <summary>Adds an error for each invalid setting, for settings that are part of others.</summary>
    /// <param name="errors">Receives the errors.</param>
    /// <param name="prefix">The name of the settings that contain these, with a dot at the end: "Pool.". Empty for none.</param>
    /// <exception cref="ArgumentNullException"><paramref name="errors"/> is null.</exception>
    public void Validate(PoolOptionErrors errors, string prefix)
    {
        ArgumentNullException.ThrowIfNull(errors);
        var targetIsValid = Target >= TimeSpan.FromMilliseconds(1) && Target <= TimeSpan.FromHours(1);
        var intervalIsValid = Interval >= TimeSpan.FromMilliseconds(1) && Interval <= TimeSpan.FromDays(1);
        errors.Check(targetIsValid, prefix + "Overload.Target", Target, "00:00:00.0010000 to 01:00:00");
        errors.Check(intervalIsValid, prefix + "Overload.Interval", Interval, "00:00:00.0010000 to 1.00:00:00");

        // If only the interval was set, the target is not what is wrong.
        var areOrdered = !targetIsValid || !intervalIsValid || Target <= Interval;
        var targetWasSet = Target != _defaultTarget;
        errors.Check(
            areOrdered || !targetWasSet, prefix + "Overload.Target", Target, $"not above Overload.Interval ({Interval})");
        errors.Check(
            areOrdered || targetWasSet, prefix + "Overload.Interval", Interval, $"not below Overload.Target ({Target})");
    }
}
