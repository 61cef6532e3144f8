using Poolhouse.Kernel.Time;

namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>Decides who is shed while the queue does not drain (controlled delay, see <see cref="OverloadOptions"/>). Under the core's gate.</summary>
// What counts is the time in which the pool could have served somebody. So waits are measured from the moment when a suspension or the
// creation of the first item ended, if the caller came before; and callers for whom an item is being created, or could be, are not shed.
internal sealed class CoDelController(long target, long interval)
{
    private long _intervalEnds = PoolClock.Never;
    private long _since = PoolClock.Past;
    private long _lastServed = PoolClock.Past;
    private long _lastFoundStanding = PoolClock.Past;
    private long _emptySince = PoolClock.Past;
    private long _shortest = PoolClock.Never;
    private bool _overloaded;

    /// <summary>Whether the callers came when the pool had nothing, and wait for its first item.</summary>
    public bool IsStarting { get; private set; }

    /// <summary>An item is there for the caller at the head of the queue, which does not drain by growth.</summary>
    /// <returns>True to shed this caller and go on to the one after it.</returns>
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

    /// <summary>The last caller in the queue has left it.</summary>
    public void Emptied(long now) => _emptySince = now;

    /// <summary>A caller comes into an empty queue. If that was empty for a while, what happened before is another story.</summary>
    /// <param name="now">The time.</param>
    /// <param name="starts">Whether the pool has no item that could serve it, and creates the first.</param>
    public void Began(long now, bool starts)
    {
        IsStarting = starts;
        if (now - _emptySince > target)
        {
            Forget();
        }
    }

    /// <summary>Measures anew: until now the queue stood still on purpose, or drained by growth.</summary>
    public void Restart(long now)
    {
        IsStarting = false;
        _since = now;
        Forget();
    }

    /// <summary>When to look at the queue although nobody was served, given when its head came.</summary>
    public long NextCheck(long headEnqueuedAt) =>
        Math.Max(Math.Max(_lastServed, _lastFoundStanding), Math.Max(_since, headEnqueuedAt)) + Math.Max(interval, (2 * target) + 1);

    /// <summary>Whether nobody has been served for a whole interval: then the queue stands still. True once an interval.</summary>
    public bool StandsStill(long headEnqueuedAt, long now)
    {
        if (now < NextCheck(headEnqueuedAt))
        {
            return false;
        }

        _lastFoundStanding = now;
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
