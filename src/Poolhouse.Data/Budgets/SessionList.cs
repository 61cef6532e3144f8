namespace Poolhouse.Data.Budgets;

/// <summary>The sessions of a server at one moment, as the members of a budget see them.</summary>
/// <param name="Room">How many sessions the server would still accept; negative if a limit was lowered.</param>
/// <param name="Places">The limit that leaves the least room.</param>
/// <param name="SessionId">The server's number of the session that read the list.</param>
/// <param name="Members">What each member holds and wants, in the order of their names.</param>
internal sealed record SessionList(
    int Room, int Places, long SessionId, IReadOnlyList<(string Name, int Held, int Wanted)> Members);
