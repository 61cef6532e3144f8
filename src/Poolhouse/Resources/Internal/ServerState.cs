namespace Poolhouse.Resources;

/// <summary>What a set knows about one server. Under the set's gate, but for <see cref="Position"/>.</summary>
internal sealed class ServerState<TServer>(TServer server, long upSince)
    where TServer : notnull
{
    public const int Unlisted = -1;

    private int _position = Unlisted;

    public TServer Server { get; } = server;

    /// <summary>Its place in the list, the most preferred first, or <see cref="Unlisted"/>. Written under the gate, read anywhere.</summary>
    public int Position
    {
        get => Volatile.Read(ref _position);
        set => Volatile.Write(ref _position, value);
    }

    public int Items { get; set; }

    public int Creating { get; set; }

    public long Created { get; set; }

    public long Failures { get; private set; }

    public int FailuresInRow { get; private set; }

    public Exception? LastFailure { get; private set; }

    /// <summary>Until when it is avoided, after a failure.</summary>
    public long RecheckAt { get; private set; }

    /// <summary>Since when it has been up, while it is.</summary>
    public long UpSince { get; private set; } = upSince;

    /// <summary>Whether a creation is under way that tries it again. Others do not wait for the same answer.</summary>
    public bool Rechecking { get; set; }

    /// <summary>Whether an item has failed back already so that somebody tries this server again.</summary>
    public bool RecheckAsked { get; set; }

    public bool IsUp => FailuresInRow == 0;

    public int Load => Items + Creating;

    public bool IsRecheckDue(long now) => !IsUp && now >= RecheckAt && !Rechecking;

    public bool IsAvoided(long now) => !IsUp && !IsRecheckDue(now);

    public ServerHealth HealthAt(long now) =>
        Position == Unlisted ? ServerHealth.Removed
        : IsUp ? ServerHealth.Up
        : now < RecheckAt ? ServerHealth.Avoided
        : ServerHealth.RecheckDue;

    public void Fail(Exception? failure, long now, long avoidFor)
    {
        Failures++;
        FailuresInRow++;
        LastFailure = failure;
        RecheckAt = PoolClock.Add(now, avoidFor);
        RecheckAsked = false;
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
        RecheckAsked = false;
    }
}
