namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>What the ArrayPools of the process did.</summary>
internal sealed record ArrayPoolUse
{
    /// <summary>Arrays that were allocated because the pool had none.</summary>
    public Occurrences Allocated { get; init; } = Occurrences.None;

    /// <summary>Their bytes a second, at least: the pool reports the number of elements.</summary>
    public double Elements { get; init; }

    /// <summary>Returned arrays that found no place.</summary>
    public int Dropped { get; init; }

    /// <summary>Arrays that were dropped because they were not used.</summary>
    public int Trimmed { get; init; }

    /// <summary>Rents in the short time in which they were counted.</summary>
    public int Rented { get; init; }

    /// <summary>Returns in the same time.</summary>
    public int Returned { get; init; }

    /// <summary>Rents in the same time that found no array.</summary>
    public int Missed { get; init; }
}
