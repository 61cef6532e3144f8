namespace Poolhouse.Benchmarks.Bars;

/// <summary>What a bar came to.</summary>
/// <param name="Name">What was measured.</param>
/// <param name="Ours">The median of our rounds: nanoseconds a pair, or a share.</param>
/// <param name="RivalName">What it was measured against.</param>
/// <param name="Rival">The median of the rival's rounds.</param>
/// <param name="Ratio">The median of the rounds' own ratios: both sides of each were measured one after the other.</param>
/// <param name="Limit">The largest ratio that holds.</param>
/// <param name="Bytes">Bytes that ours allocated a pair.</param>
internal sealed record Outcome(
    string Name, double Ours, string RivalName, double Rival, double Ratio, double Limit, double? Bytes)
{
    public bool Holds => Ratio <= Limit && (Bytes ?? 0) < 0.01;
}
