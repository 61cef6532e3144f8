namespace Poolhouse.Tool.Bench;

/// <summary>Whether a pool pays off; for a scenario, whether Poolhouse keeps its promise;
/// for a sweep, whether it found a setting.</summary>
internal enum Outcome
{
    /// <summary>Nothing was measured.</summary>
    Unknown,
    Pays,
    DoesNotPay,

    /// <summary>Only from some size or thread count on, or only against some rival.</summary>
    Depends,

    /// <summary>Poolhouse kept its promise.</summary>
    Holds,

    /// <summary>It did not.</summary>
    FallsShort,

    /// <summary>A setting is recommended.</summary>
    Recommended,

    /// <summary>The rounds differ by more than the compared results.</summary>
    Inconclusive,
}
