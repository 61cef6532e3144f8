namespace Poolhouse;

/// <summary>How one of several items that are used by many callers at once is selected for the next use.</summary>
public enum SelectionStrategy
{
    /// <summary>The item with the fewest current uses; among equals, the first after the one that was selected last.</summary>
    LeastOutstanding,

    /// <summary>The items in turn.</summary>
    RoundRobin,

    /// <summary>
    /// Of two random items, the one with fewer uses: nearly as even as <see cref="LeastOutstanding"/>, without inspecting all
    /// items (M. Mitzenmacher, <i>The Power of Two Choices in Randomized Load Balancing</i>, IEEE TPDS 2001).
    /// </summary>
    PowerOfTwoChoices,
}
