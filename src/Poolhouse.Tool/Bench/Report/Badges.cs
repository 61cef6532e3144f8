namespace Poolhouse.Tool.Bench.Report;

/// <summary>A verdict in a word or two.</summary>
internal static class Badges
{
    public static string TextOf(Outcome outcome) => outcome switch
    {
        Outcome.Pays => "pays",
        Outcome.DoesNotPay => "does not pay",
        Outcome.Depends => "it depends",
        Outcome.Holds => "holds",
        Outcome.FallsShort => "falls short",
        Outcome.Recommended => "recommended",
        Outcome.Inconclusive => "inconclusive",
        _ => "not measured",
    };

    /// <summary>The class of the style: green, red or neither.</summary>
    public static string StyleOf(Outcome outcome) => outcome switch
    {
        Outcome.Pays or Outcome.Holds or Outcome.Recommended => "yes",
        Outcome.DoesNotPay or Outcome.FallsShort => "no",
        _ => "some",
    };
}
