using Poolhouse.Kernel.Time;

namespace Poolhouse.Resources.Servers;

/// <summary>What a set knows about one server. Under the set's gate, but for <see cref="Position"/>.</summary>
internal sealed class ServerState<TServer>(TServer server, long upSince)
    where TServer : notnull
{
    public const int Unlisted = -1;

    private int _position = Unlisted;

    public TServer Server { get; } = server;

    /// <summary>
    /// Its place in the list, the most preferred first, or <see cref="Unlisted"/>. Written under the gate, read anywhere.
    /// </summary>
    public int Position => Volatile.Read(ref _position);

    public int Items { get; set; }

    public int Creating { get; set; }

    public long Created { get; set; }

    public long Failures { get; private set; }

    public int FailuresInRow { get; private set; }

    public Exception? LastFailure { get; private set; }

    /// <summary>Until when it is avoided, after a failure.</summary>
    public long RecheckAt { get; private set; }

    /// <summary>Since when it has been up in this position, while it is.</summary>
    public long UpSince { get; private set; } = upSince;

    /// <summary>Whether a creation is under way that tries it again. Others do not wait for the same answer.</summary>
    public bool Rechecking { get; set; }

    /// <summary>The number of the item that gives way so that somebody tries this server again; zero if none does yet.</summary>
    public long GivesWay { get; set; }

    /// <summary>When another one gives way, if the pool did not need a new item in place of the first.</summary>
    public long GivesWayUntil { get; set; }

    public bool IsUp => FailuresInRow == 0;

    public int Load => Items + Creating;

    public bool IsRecheckDue(long now) => !IsUp && now >= RecheckAt && !Rechecking;

    public bool IsAvoided(long now) => !IsUp && !IsRecheckDue(now);

    public ServerHealth HealthAt(long now) =>
        Position == Unlisted ? ServerHealth.Removed
        : IsUp ? ServerHealth.Up
        : now < RecheckAt ? ServerHealth.Avoided
        : ServerHealth.RecheckDue;

    public void MoveTo(int position, long now)
    {
        if (position != _position)
        {
            Volatile.Write(ref _position, position);
            UpSince = now;
        }
    }

    public void Fail(Exception? failure, long now, long avoidFor)
    {
        Failures++;
        FailuresInRow++;
        LastFailure = failure;
        RecheckAt = PoolClock.Add(now, avoidFor);
        GivesWay = 0;
    }

    public void Succeed(long now)
    {
        if (IsUp)
        {
            return;
        }

        FailuresInRow = 0;
        LastFailure = null;
        UpSince = now;
        GivesWay = 0;
    }
}
