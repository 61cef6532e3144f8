namespace Poolhouse;

/// <summary>Which item of a <see cref="SharedResourcePool{T}"/> a new use goes to.</summary>
public enum SharedSelection
{
    /// <summary>The one with the fewest uses at the moment; among equals the first after the one that was taken last.</summary>
    LeastOutstanding,

    /// <summary>In turn.</summary>
    RoundRobin,

    /// <summary>
    /// Of two at random the one with fewer uses: nearly as even as <see cref="LeastOutstanding"/>, without a look at all of many
    /// items (M. Mitzenmacher, <i>The Power of Two Choices in Randomized Load Balancing</i>, IEEE TPDS 2001).
    /// </summary>
    PowerOfTwoChoices,
}
