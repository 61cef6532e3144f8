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
    public bool TryEnter(SharedItemSet<T> itemSet, long now, [NotNullWhen(true)] out SharedItem<T>? item)
    {
        var settings = itemSet.Settings;
        for (var tries = 0; tries < MostTries && Choose(itemSet.Items, settings.Selection) is { } chosen; tries++)
        {
            if (TryEnter(itemSet, chosen, settings, now))
            {
                item = chosen;
                return true;
            }

            // It was full, or filled up or deactivated meanwhile: try again.
        }

        foreach (var any in itemSet.Items)
        {
            if (TryEnter(itemSet, any, settings, now))
            {
                item = any;
                return true;
            }
        }

        item = null;
        return false;
    }

    private SharedItem<T>? Choose(SharedItem<T>[] items, SelectionStrategy selection)
    {
        if (items.Length < 2)
        {
            return items.Length == 0 ? null : items[0];
        }

        switch (selection)
        {
            case SelectionStrategy.RoundRobin:
                return items[NextTurn(items.Length)];
            case SelectionStrategy.PowerOfTwoChoices:
#pragma warning disable CA5394 // A choice between servers, not a secret.
                var first = Random.Shared.Next(items.Length);
                var second = (first + 1 + Random.Shared.Next(items.Length - 1)) % items.Length;
#pragma warning restore CA5394
                return items[first].Load <= items[second].Load ? items[first] : items[second];
            default:
                return LeastUsed(items);
        }
    }

    private static bool TryEnter(SharedItemSet<T> itemSet, SharedItem<T> item, SharedSettings settings, long now)
    {
        var maxUses = settings.MaxUsesPerItem;
        if (item.Uses >= maxUses || !itemSet.IsUsable(item, now) || !item.TryEnter(maxUses))
        {
            return false;
        }

        if (item.Uses >= settings.GrowAt)
        {
            itemSet.StartGrowing();
        }

        return true;
    }

    private SharedItem<T> LeastUsed(SharedItem<T>[] items)
    {
        var start = NextTurn(items.Length);
        var least = items[start];
        for (var index = 1; index < items.Length; index++)
        {
            var other = items[(start + index) % items.Length];
            least = other.Load < least.Load ? other : least;
        }

        return least;
    }

    private int NextTurn(int count) => (int)((uint)Interlocked.Increment(ref _turn) % (uint)count);
}
