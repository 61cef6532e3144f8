namespace Poolhouse.Resources.Servers;

/// <summary>What counts an item on its server, until it leaves: once, and when it was forgotten too.</summary>
internal sealed class ServerItemTracker<TServer>(ServerSet<TServer> set, ServerState<TServer> state, long number, long createdAt, double share)
    where TServer : notnull
{
    private int _left;

#pragma warning disable MA0055, CA1816 // It frees nothing: it keeps the count right when somebody detached the item from its pool and forgot it.
    ~ServerItemTracker() => TryLeave();

    public ServerSet<TServer> Set { get; } = set;

    public ServerState<TServer> State { get; } = state;

    /// <summary>From 1; no two items of a set have the same.</summary>
    public long Number { get; } = number;

    public long CreatedAt { get; } = createdAt;

    /// <summary>The failures of the server when the item was created.</summary>
    public long SeenFailures { get; } = state.Failures;

    /// <summary>Which share of the time to fail back the item waits: 0 to 1.</summary>
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
