namespace Poolhouse.Resources.Engine.Creating;

/// <summary>How long callers wait in an outage, and what they are told then.</summary>
/// <param name="Timeout">How long, in timestamps; zero if not at all.</param>
/// <param name="Since">When the outage began.</param>
/// <param name="LastFailure">The failure of the last creation.</param>
/// <param name="IsPermanent">Whether callers get that failure unchanged.</param>
/// <param name="ClockLag">By how much the time of a caller's arrival may be behind the exact time.</param>
internal readonly record struct OutageLimit(long Timeout, long Since, Exception LastFailure, bool IsPermanent, long ClockLag)
{
    /// <summary>
    /// How long a caller waits that is spared, because something is on its way for it, although the others do not wait at all.
    /// </summary>
    public long SparedTimeout { get; init; } = PoolClock.Never;

    /// <summary>When a caller that arrived at the given time has waited long enough.</summary>
    public long RefusalTime(long enqueuedAt, bool isSpared) => (isSpared ? SparedTimeout : Timeout) switch
    {
        0 => PoolClock.Past,
        PoolClock.Never => PoolClock.Never,
        var timeout => PoolClock.Add(Math.Max(enqueuedAt, Since) + ClockLag, timeout),
    };
}
