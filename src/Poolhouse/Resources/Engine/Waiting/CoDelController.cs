namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>
/// Decides which callers to shed while the queue does not drain (controlled delay, see <see cref="OverloadOptions"/>). Under the
/// core's gate.
/// </summary>
// Only time during which the pool could have served callers counts. So waits are measured from the end of a suspension or of the
// creation of the first item, if the caller arrived before; and callers for whom an item is being created, or could be, are not
// shed.
internal sealed class CoDelController(long target, long interval)
{
    private long _intervalEnds = PoolClock.Never;
    private long _since = PoolClock.Past;
    private long _lastServed = PoolClock.Past;
    private long _lastStallAt = PoolClock.Past;
    private long _emptySince = PoolClock.Past;
    private long _shortest = PoolClock.Never;
    private bool _overloaded;

    /// <summary>Whether the callers arrived when the pool had no items, and wait for the first one.</summary>
    public bool IsStarting { get; private set; }

    /// <summary>Creates the controller that the settings ask for, if any.</summary>
    public static CoDelController? Of(OverloadOptions? overload, PoolClock clock) =>
        overload is null ? null : new CoDelController(clock.Ticks(overload.Target), clock.Ticks(overload.Interval));

    /// <summary>
    /// Decides whether to shed the head of the queue. Called when an item is available for it and the queue does not drain by
    /// growth.
    /// </summary>
    /// <returns>True to shed this caller and continue with the next one.</returns>
    public bool ShouldShed(long enqueuedAt, long now)
    {
        var waited = Waited(enqueuedAt, now);
        _lastServed = now;
        _shortest = Math.Min(_shortest, waited);
        if (_intervalEnds == PoolClock.Never)
        {
            _intervalEnds = now + interval;
        }
        else if (now >= _intervalEnds)
        {
            _overloaded = _shortest > target;
            _shortest = PoolClock.Never;
            _intervalEnds = now + interval;
        }

        return _overloaded && waited > 2 * target;
    }

    /// <summary>Records that the last caller in the queue has left it.</summary>
    public void OnEmptied(long now) => _emptySince = now;

    /// <summary>
    /// Records that a caller enters an empty queue. If the queue was empty for a while, earlier measurements no longer apply.
    /// </summary>
    /// <param name="now">The time.</param>
    /// <param name="starts">Whether the pool has no item that could serve the caller, and creates the first.</param>
    public void OnFirstCaller(long now, bool starts)
    {
        IsStarting = starts;
        if (now - _emptySince > target)
        {
            Forget();
        }
    }

    /// <summary>Restarts the measurement: until now the queue was stopped on purpose, or drained by growth.</summary>
    public void Restart(long now)
    {
        IsStarting = false;
        _since = now;
        Forget();
    }

    /// <summary>When to check the queue even if no caller was served, given the arrival time of its head.</summary>
    public long NextCheck(long headEnqueuedAt) =>
        Math.Max(Math.Max(_lastServed, _lastStallAt), Math.Max(_since, headEnqueuedAt)) +
            Math.Max(interval, (2 * target) + 1);

    /// <summary>
    /// Whether no caller has been served for a whole interval, so that the queue is stalled. Returns true once per interval.
    /// </summary>
    public bool TryDetectStall(long headEnqueuedAt, long now)
    {
        if (now < NextCheck(headEnqueuedAt))
        {
            return false;
        }

        _lastStallAt = now;
        return true;
    }

    public bool IsTooLong(long enqueuedAt, long now) => Waited(enqueuedAt, now) > 2 * target;

    private long Waited(long enqueuedAt, long now) => now - Math.Max(enqueuedAt, _since);

    private void Forget()
    {
        _intervalEnds = PoolClock.Never;
        _shortest = PoolClock.Never;
        _overloaded = false;
    }
}
