namespace Poolhouse.Resources.Engine.Capacity;

/// <summary>What a pool wants shared capacity for that it was refused.</summary>
internal enum CapacityWant
{
    None,

    /// <summary>A minimum or a warm-up: it gets what is free and not wanted for a caller.</summary>
    Upkeep,

    /// <summary>A caller that waits: other pools give up idle items for it.</summary>
    Caller,
}
