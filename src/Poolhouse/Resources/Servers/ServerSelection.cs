namespace Poolhouse;

/// <summary>Which server of a <see cref="ServerSet{TServer}"/> a new item goes to.</summary>
/// <remarks>Servers that failed come last until their re-check is due, whatever the selection.</remarks>
public enum ServerSelection
{
    /// <summary>
    /// The first of the list that works: one server does the work, the others stand by. Only this selection fails back.
    /// </summary>
    Ordered,

    /// <summary>In turn, beginning anywhere.</summary>
    RoundRobin,

    /// <summary>Any, with equal chances.</summary>
    Random,

    /// <summary>The one with the fewest items of this set, alive or on their way; among equals in turn.</summary>
    FewestItems,
}
