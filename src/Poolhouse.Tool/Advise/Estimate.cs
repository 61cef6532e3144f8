namespace Poolhouse.Tool.Advise;

/// <summary>A figure before a change, and what it is expected to be afterwards.</summary>
/// <param name="Quantity">What is counted: <c>allocated bytes a second</c>.</param>
/// <param name="Before">The figure now.</param>
/// <param name="After">The figure afterwards, under the same load.</param>
internal sealed record Estimate(string Quantity, double Before, double After)
{
    public const string Bytes = "allocated bytes a second";
    public const string Connections = "connections opened a second";
    public const string Threads = "threads created a second";

    public override string ToString() => $"{Quantity}: {Show(Before)} → {(After < Before / 1000 ? "about 0" : Show(After))}";

    private string Show(double value) => Quantity == Bytes ? Units.Bytes(value) : Units.Digits(value);
}
