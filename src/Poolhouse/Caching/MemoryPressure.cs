namespace Poolhouse;

/// <summary>How short memory is.</summary>
public enum MemoryPressure
{
    /// <summary>Enough: pools keep what they have.</summary>
    Low = 0,

    /// <summary>Getting short: pools let go of what lay idle since they last looked.</summary>
    Medium = 1,

    /// <summary>Short: pools let go of everything they retain.</summary>
    High = 2,
}
