namespace Poolhouse.Servers.Internal;

/// <summary>Selects the server for a new item among those that are usable. Under the set's gate.</summary>
internal sealed class ServerSelector<TServer>
    where TServer : notnull
{
    private readonly ServerSelection _selection;
    private readonly Random _random;
    private int _turn;

    public ServerSelector(ServerSetOptions options, int count)
    {
        (_selection, _random) = (options.Selection, options.Random);

        // Processes that start at the same time should not all begin with the first server.
        _turn = RandomBelow(count);
    }

    /// <param name="usable">At least one server, in the order of the list.</param>
    /// <param name="count">The length of the list.</param>
    /// <param name="now">The time.</param>
    public ServerState<TServer> Select(List<ServerState<TServer>> usable, int count, long now) =>
        (_selection == ServerSelection.Ordered ? usable[0] : SelectUnderloaded(usable, now)) ?? SelectUp(usable, count);

    /// <summary>
    /// Without an order of preference: the server for whose recheck an item was replaced, or one that came back and does not
    /// have its share yet.
    /// </summary>
    private ServerState<TServer>? SelectUnderloaded(List<ServerState<TServer>> usable, long now)
    {
        var most = usable.Max(state => state.Load);
        foreach (var state in usable)
        {
            state.IsRefilled &= state.Load < most;
        }

        return usable.Find(state => state.ItemToReplace != 0 && state.IsRecheckDue(now))
            ?? (_selection == ServerSelection.LeastOutstanding
                ? null
                : usable.Find(state => state.IsRefilled && state.IsUp));
    }

    private ServerState<TServer> SelectUp(List<ServerState<TServer>> usable, int count) => _selection switch
    {
        ServerSelection.RoundRobin => TakeTurn(usable, count),
        ServerSelection.Random => usable[RandomBelow(usable.Count)],
        ServerSelection.LeastOutstanding =>
            TakeTurn(usable.FindAll(state => state.Load == usable.Min(other => other.Load)), count),
        _ => usable[0],
    };

    private ServerState<TServer> TakeTurn(List<ServerState<TServer>> candidates, int count)
    {
        var next = candidates.Find(state => state.Position >= _turn) ?? candidates[0];
        _turn = (next.Position + 1) % count;
        return next;
    }

    private int RandomBelow(int count) => Math.Min((int)(_random.NextDouble() * count), count - 1);
}
