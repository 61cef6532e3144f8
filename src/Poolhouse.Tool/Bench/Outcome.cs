namespace Poolhouse.Tool.Bench;

/// <summary>Whether a pool is worth having; of a scenario, whether Poolhouse does what it promises;
/// of a sweep, whether it found a setting.</summary>
internal enum Outcome
{
    /// <summary>Nothing was measured to judge by.</summary>
    Unknown,
    Pays,
    DoesNotPay,

    /// <summary>Only from some size or thread count on, or only against some rival.</summary>
    Depends,

    /// <summary>Poolhouse did what it promises.</summary>
    Holds,

    /// <summary>It did not.</summary>
    FallsShort,

    /// <summary>A setting is recommended.</summary>
    Recommended,

    /// <summary>The rounds differ by more than what is compared.</summary>
    Inconclusive,
}
