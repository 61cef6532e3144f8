using System.Xml.Linq;
using Poolhouse.Tool.Bench.Report.Summing;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>A verdict in a word or two.</summary>
internal static class Badges
{
    public static string TextOf(Outcome outcome) => outcome switch
    {
        Outcome.Pays => "faster",
        Outcome.DoesNotPay => "slower",
        Outcome.Depends => "depends",
        Outcome.Holds => "kept",
        Outcome.FallsShort => "broken",
        Outcome.Recommended => "recommended",
        Outcome.Inconclusive => "inconclusive",
        _ => "not measured",
    };

    /// <summary>The word of a study, green, red or neither.</summary>
    public static XElement Of(Summary summary) => new(
        "span",
        new XAttribute(
            "class", summary.Advice switch { Advice.UseIt => "badge yes", Advice.DoNot => "badge no", _ => "badge some" }),
        summary.Word);
}
