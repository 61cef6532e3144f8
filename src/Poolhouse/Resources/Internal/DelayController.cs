namespace Poolhouse.Resources;

/// <summary>Decides who is shed while the queue does not drain (controlled delay, see <see cref="OverloadOptions"/>). Under the core's gate.</summary>
internal sealed class DelayController(long target, long interval)
{
    private long _intervalEnds = PoolClock.Never;
    private long _lastServed = long.MinValue;
    private long _emptySince;
    private long _shortest = PoolClock.Never;
    private bool _overloaded;

    /// <summary>An item is there for the caller at the head, which has waited so long.</summary>
    /// <returns>True to shed this caller and go on to the one after it.</returns>
    public bool ShouldShed(long waited, long now)
    {
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

        return _overloaded && IsTooLong(waited);
    }

    /// <summary>The last caller in the queue has left it.</summary>
    public void Emptied(long now) => _emptySince = now;

    /// <summary>A caller comes into an empty queue. If that was empty for a while, what happened before is another story.</summary>
    public void Began(long now)
    {
        if (now - _emptySince > target)
        {
            Forget();
        }
    }

    /// <summary>Begins anew: the queue drained, or stood still on purpose.</summary>
    public void Forget()
    {
        _intervalEnds = PoolClock.Never;
        _shortest = PoolClock.Never;
        _overloaded = false;
    }

    /// <summary>When to look at the queue although nobody was served, given when its head came.</summary>
    public long NextLook(long headEnqueuedAt) => Math.Max(_lastServed, headEnqueuedAt) + Math.Max(interval, (2 * target) + 1);

    /// <summary>Whether nobody has been served for a whole interval: then the queue stands still.</summary>
    public bool StandsStill(long headEnqueuedAt, long now) => now >= NextLook(headEnqueuedAt);

    public bool IsTooLong(long waited) => waited > 2 * target;
}
