namespace Poolhouse.Servers.Internal;

/// <summary>Counts an item on its server until it leaves, exactly once, even if the item was never disposed.</summary>
internal sealed class ServerItemTracker<TServer>(
    ServerSet<TServer> set,
    ServerChoice<TServer> choice,
    RequiredRole required,
    long number,
    long createdAt,
    double share)
    where TServer : notnull
{
    private int _left;

#pragma warning disable MA0055, CA1816 // It releases nothing: it keeps the count correct when an item was detached from its pool and never disposed.
    ~ServerItemTracker() => TryLeave();

    public ServerSet<TServer> Set { get; } = set;

    public ServerState<TServer> State { get; } = choice.State;

    /// <summary>The number of the item, from 1; unique within the set.</summary>
    public long Number { get; } = number;

    public long CreatedAt { get; } = createdAt;

    /// <summary>The failure count of the server when the item was created.</summary>
    public long SeenFailures { get; } = choice.State.Failures;

    /// <summary>The role that was required when the item was created.</summary>
    public RequiredRole Required { get; } = required;

    /// <summary>How often the server had lost its role when the item's creation began.</summary>
    public int SeenRoleLosses { get; } = choice.SeenRoleLosses;

    /// <summary>Whether the server no longer has the role that the item needs, or perhaps not.</summary>
    public bool HasLostRole => Required.IsStrict()
        && ((Required == RequiredRole.Primary && SeenRoleLosses != State.RoleLosses) || !State.MaySuit(Required));

    /// <summary>Whether the item should be on a standby and is on a primary.</summary>
    public bool IsMisplaced => Required == RequiredRole.PreferStandby && State.Role == ServerRole.Primary;

    /// <summary>The item's share of the fail-back time, which it waits before it fails back: 0 to 1.</summary>
    public double Share { get; } = share;

    public bool TryLeave()
    {
        if (Interlocked.Exchange(ref _left, 1) != 0)
        {
            return false;
        }

        GC.SuppressFinalize(this);
        Set.Leave(State);
        return true;
    }
#pragma warning restore MA0055, CA1816
}
