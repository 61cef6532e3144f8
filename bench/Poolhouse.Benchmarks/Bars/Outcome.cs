namespace Poolhouse.Benchmarks.Bars;

/// <summary>The result of a bar.</summary>
/// <param name="Name">What was measured.</param>
/// <param name="Ours">The median of our rounds: nanoseconds a pair, or a share.</param>
/// <param name="RivalName">What it was measured against.</param>
/// <param name="Rival">The median of the rival's rounds.</param>
/// <param name="Ratio">The median of the rounds' own ratios: both sides of each were measured one after the other.</param>
/// <param name="Limit">The largest ratio that holds; null: no promise.</param>
/// <param name="Bytes">Bytes that ours allocated a pair.</param>
internal sealed record Outcome(
    string Name, double Ours, string RivalName, double Rival, double Ratio, double? Limit, double? Bytes)
{
    private const double LeastWaits = 0.95;

    /// <summary>The median of the bare stack's rounds, and of our ratios to it; null where there is none.</summary>
    public double? BareStack { get; init; }

    public double? RatioToBareStack { get; init; }

    /// <summary>The bytes that ours may allocate a pair.</summary>
    public double BytesAllowed { get; init; }

    /// <summary>The share of our rents that had to wait; null where that is not what is measured.</summary>
    public double? Waits { get; init; }

    /// <summary>The rival's.</summary>
    public double? WaitsOfRival { get; init; }

    /// <summary>What else is worth knowing; null for nothing.</summary>
    public string? Remark { get; init; }

    public bool Holds => Ratio <= (Limit ?? double.PositiveInfinity)
        && (Bytes ?? 0) <= BytesAllowed + 0.01
        // If some rents did not wait, the bar was not measured under the conditions that it is about.
        && (Waits ?? 1) >= LeastWaits
        && (WaitsOfRival ?? 1) >= LeastWaits;

    /// <summary>In a word.</summary>
    public string Verdict => (Holds, Limit) switch
    {
        (false, _) => "falls short",
        (true, null) => "no limit",
        _ => "holds",
    };
}
