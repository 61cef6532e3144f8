namespace Poolhouse.Servers.Internal;

/// <summary>
/// The state that a set keeps for one server. Accessed under the set's gate, except for <see cref="Position"/>.
/// </summary>
internal sealed class ServerState<TServer>(TServer server, long upSince)
    where TServer : notnull
{
    public const int Unlisted = -1;

    private int _position = Unlisted;
    private int _roleLosses;
    private volatile ServerRole _role;

    public TServer Server { get; } = server;

    /// <summary>
    /// The server's position in the list, 0 for the most preferred, or <see cref="Unlisted"/>. Written under the gate, read
    /// anywhere.
    /// </summary>
    public int Position => Volatile.Read(ref _position);

    /// <summary>The last known role. Written under the gate, read anywhere.</summary>
    public ServerRole Role => _role;

    /// <summary>How often an error showed that the server had lost its role. Written under the gate, read anywhere.</summary>
    public int RoleLosses => Volatile.Read(ref _roleLosses);

    public int Items { get; set; }

    public int Creating { get; set; }

    public long Created { get; set; }

    public long Failures { get; private set; }

    public int FailuresInRow { get; private set; }

    public Exception? LastFailure { get; private set; }

    /// <summary>When a failed server may be tried again.</summary>
    public long RecheckAt { get; private set; }

    /// <summary>When the server came up in this position; meaningful only while it is up.</summary>
    public long UpSince { get; private set; } = upSince;

    /// <summary>When the server failed for the first time since its last success; meaningful only while it is not up.</summary>
    public long DownSince { get; private set; }

    /// <summary>
    /// Whether a creation that rechecks the server, or its role, is in progress. Other creations do not wait for its result.
    /// </summary>
    public bool Rechecking { get; set; }

    /// <summary>
    /// The number of the item to be replaced so that a creation rechecks this server; zero if none is selected yet.
    /// </summary>
    public long ItemToReplace { get; set; }

    /// <summary>When another item is selected, if the pool did not need a new item in place of the first.</summary>
    public long ItemToReplaceUntil { get; set; }

    /// <summary>Whether the server came back, or was added, and does not have its share of the items yet.</summary>
    public bool IsRefilled { get; set; }

    public bool IsUp => FailuresInRow == 0;

    public int Load => Items + Creating;

    public bool IsRecheckDue(long now) => !IsUp && now >= RecheckAt && !Rechecking;

    public bool IsAvoided(long now) => !IsUp && !IsRecheckDue(now);

    /// <summary>Whether the server has the required role, or may have it.</summary>
    public bool MaySuit(RequiredRole required) => required == RequiredRole.Any || Role == ServerRole.Unknown
        || (Role == ServerRole.Primary) == (required == RequiredRole.Primary);

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
        DownSince = IsUp ? now : DownSince;
        Failures++;
        FailuresInRow++;
        LastFailure = failure;
        RecheckAt = PoolClock.Add(now, avoidFor);
        ItemToReplace = 0;
        _role = ServerRole.Unknown;
    }

    /// <summary>Records a role. Items fail back to a server with another role as to one that has just come up.</summary>
    public void LearnRole(ServerRole role, long now)
    {
        if (_role != role)
        {
            _role = role;
            UpSince = now;
        }
    }

    public void LoseRole()
    {
        _role = ServerRole.Unknown;
        Volatile.Write(ref _roleLosses, _roleLosses + 1);
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
        ItemToReplace = 0;
    }
}
