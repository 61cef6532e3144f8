namespace Poolhouse.Resources.Shared;

/// <summary>Selects an item for the next use.</summary>
// A struct inside the item set, because it is used for every rent. The load of an item may change as soon as it was read: a
// choice is a guess, and the set enters the item by a compare-and-swap.
internal struct SharedSelector<T>
    where T : notnull
{
    private int _turn;

    public SharedItem<T>? Choose(SharedItem<T>[] members, SelectionStrategy selection)
    {
        if (members.Length < 2)
        {
            return members.Length == 0 ? null : members[0];
        }

        switch (selection)
        {
            case SelectionStrategy.RoundRobin:
                return members[NextTurn(members.Length)];
            case SelectionStrategy.PowerOfTwoChoices:
#pragma warning disable CA5394 // A choice between servers, not a secret.
                var first = Random.Shared.Next(members.Length);
                var second = (first + 1 + Random.Shared.Next(members.Length - 1)) % members.Length;
#pragma warning restore CA5394
                return members[first].Load <= members[second].Load ? members[first] : members[second];
            default:
                return LeastUsed(members);
        }
    }

    private SharedItem<T> LeastUsed(SharedItem<T>[] members)
    {
        var start = NextTurn(members.Length);
        var least = members[start];
        for (var index = 1; index < members.Length; index++)
        {
            var other = members[(start + index) % members.Length];
            least = other.Load < least.Load ? other : least;
        }

        return least;
    }

    private int NextTurn(int count) => (int)((uint)Interlocked.Increment(ref _turn) % (uint)count);
}
