using Poolhouse.Extensions.Health;

namespace Poolhouse.Tool.Watch;

/// <summary>The snapshots of one pool, the latest last; the oldest are dropped, but not the first.</summary>
internal sealed class PoolHistory(PoolSnapshot first)
{
    private const int Kept = 120;

    private static readonly TimeSpan _window = TimeSpan.FromSeconds(10);

    private readonly List<PoolSnapshot> _snapshots = [first];

    public PoolSnapshot First { get; } = first;

    public PoolSnapshot Last => _snapshots[^1];

    /// <summary>The snapshot with which the latest is compared: ten seconds older, or the oldest there is.</summary>
    public PoolSnapshot WindowStart => _snapshots.First(each => Last.Time - each.Time <= _window);

    /// <summary>How long callers have been waiting in every snapshot.</summary>
    public TimeSpan WaitingSince => SinceFirst(each => each.Waiting > 0);

    /// <summary>How long the pool has been in its condition.</summary>
    public TimeSpan ConditionSince => SinceFirst(each => each.Condition == Last.Condition);

    public double Seconds => (Last.Time - WindowStart.Time).TotalSeconds;

    public double RentsPerSecond => Seconds > 0 ? (Last.Rented - WindowStart.Rented) / Seconds : 0;

    /// <summary>The mean time of the uses that ended within the window; zero if none did.</summary>
    public TimeSpan RecentUse => Last.Returned > WindowStart.Returned
        ? (Last.UseTime - WindowStart.UseTime) / (Last.Returned - WindowStart.Returned)
        : TimeSpan.Zero;

    /// <summary>The mean time of the uses before the window, or of all if there are no earlier ones.</summary>
    public TimeSpan UsualUse => WindowStart.Returned > 0 ? WindowStart.MeanUse : Last.MeanUse;

    /// <summary>The samples of the advice on the size: how many items were leased, and how long the uses took.</summary>
    public SizeTotals Totals { get; } = new();

    public void Add(PoolSnapshot snapshot)
    {
        Totals.Add(
            snapshot.Time - Last.Time, snapshot.Max, snapshot.Leased, snapshot.Returned - Last.Returned,
            snapshot.UseTime - Last.UseTime, snapshot.Waits - Last.Waits, snapshot.Peak);
        _snapshots.Add(snapshot);
        if (_snapshots.Count > Kept)
        {
            _snapshots.RemoveAt(0);
        }
    }

    private TimeSpan SinceFirst(Func<PoolSnapshot, bool> holds)
    {
        var since = Last.Time;
        for (var i = _snapshots.Count - 1; i >= 0 && holds(_snapshots[i]); i--)
        {
            since = _snapshots[i].Time;
        }

        return Last.Time - since;
    }
}
