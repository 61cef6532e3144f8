using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Resources.Shared;

/// <summary>Selects an item for the next use, and enters it.</summary>
// A struct inside the item set, because it is used for every rent. The load of an item may change as soon as it was read: a
// choice is a guess, and the item is entered by a compare-and-swap.
internal struct SharedSelector<T>
    where T : notnull
{
    // Choices that a random or round-robin selection may lose before any item with room is taken.
    private const int MostTries = 3;

    private int _turn;

    /// <summary>
    /// Finds an item for a use and counts the use, and starts the creation of another item when the items fill up.
    /// </summary>
    public bool TryEnter(SharedItemSet<T> itemSet, long now, [NotNullWhen(true)] out SharedItem<T>? member)
    {
        var settings = itemSet.Settings;
        for (var tries = 0; tries < MostTries && Choose(itemSet.List, settings.Selection) is { } chosen; tries++)
        {
            if (TryEnter(itemSet, chosen, settings, now))
            {
                member = chosen;
                return true;
            }

            // It was full, or filled up or retired meanwhile: try again.
        }

        foreach (var any in itemSet.List)
        {
            if (TryEnter(itemSet, any, settings, now))
            {
                member = any;
                return true;
            }
        }

        member = null;
        return false;
    }

    private SharedItem<T>? Choose(SharedItem<T>[] members, SelectionStrategy selection)
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

    private static bool TryEnter(SharedItemSet<T> itemSet, SharedItem<T> member, SharedSettings settings, long now)
    {
        var maxUses = settings.MaxUsesPerItem;
        if (member.Uses >= maxUses || !itemSet.IsUsable(member, now) || !member.TryEnter(maxUses))
        {
            return false;
        }

        if (member.Uses >= settings.GrowAt)
        {
            itemSet.StartGrowing();
        }

        return true;
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
