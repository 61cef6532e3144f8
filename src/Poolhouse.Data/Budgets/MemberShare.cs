namespace Poolhouse.Data.Budgets;

/// <summary>What one member of a budget may hold by the lists that it has seen. Has no clock and opens nothing.</summary>
// Invariants
//   the limit grows only by room that a list has shown, of which one place is left for the next member: without it, a newcomer
//   could not even say that it wants something
//   it at most doubles with each list, because sessions that are being opened are not listed yet: otherwise, members that start
//   at the same time would all count on the same room
//   a member gives way only if two lists in a row demand it: in one list, a session may be counted that its member does not
//   claim yet
// Read while a beat writes: single numbers, of which any is valid.
internal sealed class MemberShare(string member, bool showsNames)
{
    private const int SparePlaces = 1;
    private const int FirstStep = 4;

    private IReadOnlyList<(string Name, int Held, int Wanted)> _shown = [];
    private int _part;
    private int _limit;

    /// <summary>The number of items that the member may hold.</summary>
    public int Limit
    {
        get => Volatile.Read(ref _limit);
        set => Volatile.Write(ref _limit, value);
    }

    /// <summary>What the member may hold by the last list; less than <see cref="Limit"/> if it will have to give way.</summary>
    public int Part => Volatile.Read(ref _part);

    /// <summary>The number of members in the last list.</summary>
    public int Members => _shown.Count;

    /// <summary>Computes the limit anew.</summary>
    /// <param name="list">The newest list.</param>
    /// <param name="live">How many sessions the member has now.</param>
    /// <param name="mayGrow">Whether the limit may grow: not while others may have lost their sessions, too.</param>
    /// <returns>The number of sessions that the list shows for this member; null if it does not show the member.</returns>
    public int? Follow(SessionList list, int live, bool mayGrow = true)
    {
        var (members, room) = (list.Members, list.Room);
        if (!showsNames)
        {
            // Between two statements, a member shows nothing: it is missing only if the list before did not show it either. What
            // it says that it holds is as old as its statement: if it closed what it has opened since, and the opposite after the
            // next list, it would never come to rest.
            var shown = members.Select(static each => each.Name).ToHashSet(StringComparer.Ordinal);
            members =
            [
                .. members.Concat(_shown.Where(each => !shown.Contains(each.Name)))
                    .Select(each => IsOwn(each.Name) ? each with { Held = live } : each)
                    .OrderBy(static each => each.Name, StringComparer.Ordinal),
            ];
            room = Math.Min(room, list.Places - members.Count - members.Sum(static each => each.Held));
        }

        _shown = list.Members;
        var own = members.TakeWhile(each => !IsOwn(each.Name)).Count();
        if (own == members.Count)
        {
            return null;
        }

        var held = members[own].Held;
        var part = PoolBudget.Share(room - SparePlaces, [.. members.Select(static each => (each.Held, each.Wanted))])[own];
        Limit = part < held ? Math.Max(part, Math.Min(Part, Limit))
            : Math.Min(part, mayGrow ? Math.Max(FirstStep, 2 * held) : Math.Max(Limit, held));
        Volatile.Write(ref _part, part);
        return held;
    }

    /// <summary>Forgets the lists, because the member leaves.</summary>
    public void Forget() => (Limit, _part, _shown) = (0, 0, []);

    private bool IsOwn(string name) => string.Equals(name, member, StringComparison.Ordinal);
}
