namespace Poolhouse.Resources.Engine.Capacity;

/// <summary>Max-min fair shares in whole numbers.</summary>
// Pure functions: every member of a fleet computes them from the same list. The remainder of a division goes to those that are
// first in the list, so the order must be the same for all.
// No Zip, whose length is not known in advance: .NET would collect its results in rented arrays.
internal static class FairShare
{
    /// <inheritdoc cref="PoolBudget.Share"/>
    public static int[] LimitsOf(int room, (int Held, int Wanted)[] members)
    {
        var held = HeldBy(members);
        var parts = PartsOf(held.Sum() + room, members);
        var growth = Divide(room, Subtract(parts, held));
        var left = Math.Max(0, room) - growth.Sum();
        var free = Divide(left, [.. Enumerable.Repeat(left, members.Length)]);
        for (var i = 0; i < parts.Length; i++)
        {
            parts[i] = parts[i] < held[i] ? parts[i] : held[i] + growth[i] + free[i];
        }

        return parts;
    }

    /// <summary>What each member should hold: what it wants, then what it holds, as far as the capacity suffices.</summary>
    public static int[] PartsOf(int capacity, (int Held, int Wanted)[] members)
    {
        var parts = Divide(capacity, Array.ConvertAll(members, static member => member.Wanted));
        var kept = Divide(capacity - parts.Sum(), Subtract(HeldBy(members), parts));
        return [.. Enumerable.Range(0, parts.Length).Select(i => parts[i] + kept[i])];
    }

    /// <summary>Divides a capacity: nobody gets more than it wants, nor more than another that gets less than it wants.</summary>
    public static int[] Divide(int capacity, int[] wants)
    {
        if (capacity <= 0)
        {
            return new int[wants.Length];
        }

        // The largest level to which all wants can be filled, and what is left above it.
        var (level, tooHigh) = (0, wants.DefaultIfEmpty().Max() + 1);
        while (tooHigh - level > 1)
        {
            var middle = level + ((tooHigh - level) / 2);
            (level, tooHigh) = Filled(wants, middle) <= capacity ? (middle, tooHigh) : (level, middle);
        }

        var left = capacity - Filled(wants, level);
        var parts = new int[wants.Length];
        for (var i = 0; i < wants.Length; i++)
        {
            parts[i] = Math.Clamp(wants[i], 0, level + (left > 0 ? 1 : 0));
            left -= parts[i] > level ? 1 : 0;
        }

        return parts;
    }

    private static long Filled(int[] wants, int level) => wants.Sum(want => (long)Math.Clamp(want, 0, level));

    private static int[] HeldBy((int Held, int Wanted)[] members) => Array.ConvertAll(members, static member => member.Held);

    private static int[] Subtract(int[] numbers, int[] others) =>
        [.. Enumerable.Range(0, numbers.Length).Select(i => numbers[i] - others[i])];
}
