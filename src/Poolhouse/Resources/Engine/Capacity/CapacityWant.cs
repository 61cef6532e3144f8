namespace Poolhouse.Resources.Engine.Capacity;

/// <summary>The purpose for which a pool wants shared capacity that it was refused.</summary>
internal enum CapacityWant
{
    None,

    /// <summary>A minimum or a warm-up: it gets capacity that is free and not wanted for a caller.</summary>
    Upkeep,

    /// <summary>A waiting caller: other pools give up idle items for it.</summary>
    Caller,
}
