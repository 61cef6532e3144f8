namespace Poolhouse.Tool.Bench.Report.Comparing;

/// <summary>A verdict that is another one than in the earlier run.</summary>
/// <param name="Study">What was judged.</param>
/// <param name="Then">The earlier verdict.</param>
/// <param name="Now">This run's.</param>
/// <param name="IsExplained">Whether a figure of Poolhouse in this study changed by more than noise.</param>
internal sealed record VerdictChange(Study Study, Verdict Then, Verdict Now, bool IsExplained)
{
    public string Judgement => IsExplained ? "changed" : "noise: no figure changed clearly";
}
