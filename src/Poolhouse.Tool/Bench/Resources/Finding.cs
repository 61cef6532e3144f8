namespace Poolhouse.Tool.Bench.Resources;

/// <summary>One figure of a trial.</summary>
internal sealed record Finding(string Name, double Value, Quantity Quantity, Expectation Wish)
{
    // Timers have a resolution of a millisecond, and a busy machine adds one or two.
    private const double SecondsOfNoise = 0.003;
    private const double Margin = 1.1;

    /// <summary>The formatted value.</summary>
    public string Text => TextOf(Value, Quantity);

    public static string TextOf(double value, Quantity quantity) => quantity switch
    {
        _ when !double.IsFinite(value) => "never",
        Quantity.Seconds => Units.Duration(value * 1e9),
        Quantity.PerSecond => $"{Units.Digits(value)}/s",
        Quantity.Share => $"{Units.Digits(value * 100)} %",
        Quantity.Bytes => Units.Bytes(value),
        _ => Units.Count(value),
    };

    /// <summary>Whether the other is better by more than noise explains.</summary>
    public bool IsBeatenBy(Finding other) => Wish switch
    {
        Expectation.Less => IsClear(other.Value, Value),
        Expectation.More => IsClear(Value, other.Value),
        _ => false,
    };

    /// <summary>Whether it differs from the same figure of another run by more than noise explains.</summary>
    public bool DiffersFrom(Finding other)
    {
        var (small, large) = (Math.Min(Value, other.Value), Math.Max(Value, other.Value));
        return IsClear(small, large) && (Quantity != Quantity.Count || small == 0 || large - small > 1);
    }

    private bool IsClear(double small, double large) =>
        large > small * Margin && (Quantity != Quantity.Seconds || large - small > SecondsOfNoise);
}
