namespace Poolhouse;

/// <summary>Specifies how scarce memory is.</summary>
public enum MemoryPressure
{
    /// <summary>Enough memory is available: pools keep their items.</summary>
    Low = 0,

    /// <summary>Memory is becoming scarce: pools release the items that have been idle since the last check.</summary>
    Medium = 1,

    /// <summary>Memory is scarce: pools release everything they retain.</summary>
    High = 2,
}
