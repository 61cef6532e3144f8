namespace Poolhouse.Resources.Servers;

/// <summary>Counts an item on its server until it leaves, exactly once, even if the item was never disposed.</summary>
internal sealed class ServerItemTracker<TServer>(
    ServerSet<TServer> set, ServerState<TServer> state, long number, long createdAt, double share)
    where TServer : notnull
{
    private int _left;

#pragma warning disable MA0055, CA1816 // It releases nothing: it keeps the count correct when an item was detached from its pool and never disposed.
    ~ServerItemTracker() => TryLeave();

    public ServerSet<TServer> Set { get; } = set;

    public ServerState<TServer> State { get; } = state;

    /// <summary>The number of the item, from 1; unique within the set.</summary>
    public long Number { get; } = number;

    public long CreatedAt { get; } = createdAt;

    /// <summary>The failure count of the server when the item was created.</summary>
    public long SeenFailures { get; } = state.Failures;

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
