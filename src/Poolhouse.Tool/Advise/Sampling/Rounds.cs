namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>All rounds in which events of one kind are counted. Thread safe.</summary>
/// <param name="most">The events of a round: enough for an estimate, and few enough for the process.</param>
/// <param name="number">
/// The number of rounds, if the events are frequent. Beginning and ending one takes the process 5 ms.
/// </param>
// A session cannot be asked for so many events, and it delivers them 100 ms late. So the first round is short, and tells how long
// each of the following may last. What is rare is counted all the time.
internal sealed class Rounds(int most, int number)
{
    // A short round may have few events only because the process was paused. The next round lasts longer, up to this factor.
    private const double MaxSlowdown = 4;

    private static readonly TimeSpan _first = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan _shortest = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan _longest = TimeSpan.FromDays(1);

    private static readonly TimeSpan _shortestInterval = TimeSpan.FromSeconds(0.25);

    private readonly Lock _lock = new();
    private TimeSpan _seen;
    private double? _perSecond;

    /// <summary>How long events were counted in all.</summary>
    public TimeSpan Seen
    {
        get
        {
            lock (_lock)
            {
                return _seen;
            }
        }
    }

    public Round Next() => new(most);

    /// <summary>From the beginning of one round to that of the next.</summary>
    public TimeSpan IntervalOf(TimeSpan time) => time / number > _shortestInterval ? time / number : _shortestInterval;

    public void Add(Round round, DateTime began, DateTime stopped)
    {
        lock (_lock)
        {
            var seen = round.Seen(began, stopped);
            _seen += seen;
            _perSecond = Math.Max(round.Events / Math.Max(seen.TotalSeconds, 0.001), (_perSecond ?? 0) / MaxSlowdown);
        }
    }

    /// <summary>By how much counts are extrapolated to the whole time: a single event may be the only one.</summary>
    public double FactorTo(TimeSpan time, int events) => events > 1 && Seen > TimeSpan.Zero ? time / Seen : 1;

    /// <summary>How long the next round may last.</summary>
    /// <param name="interval">From one round to the next.</param>
    /// <param name="left">The time that is left.</param>
    public TimeSpan Longest(TimeSpan interval, TimeSpan left)
    {
        var time = TimeOf(most);
        return time > left || time > interval ? left : time;
    }

    /// <summary>How long to wait before the next round: not at all while the events are rare.</summary>
    /// <param name="interval">From one round to the next.</param>
    /// <param name="spent">The time since the last one began.</param>
    public TimeSpan Pause(TimeSpan interval, TimeSpan spent) =>
        TimeOf(most) > interval ? TimeSpan.Zero : interval - spent;

    /// <summary>How long it takes until there are so many events, as far as is known.</summary>
    public TimeSpan TimeOf(int events)
    {
        lock (_lock)
        {
            return _perSecond is { } rate
                ? TimeSpan.FromSeconds(Math.Clamp(events / rate, _shortest.TotalSeconds, _longest.TotalSeconds)) : _first;
        }
    }
}
