namespace Poolhouse.Tool.Bench.Report.Summing;

/// <summary>A study in a line: the advice, a word, and how the pools stand.</summary>
/// <param name="Result">The study.</param>
/// <param name="Advice">Its group on the page.</param>
/// <param name="Word">The verdict in one word.</param>
/// <param name="Text">The promise, the figures and the rivals, in a sentence or two.</param>
internal sealed record Summary(StudyResult Result, Advice Advice, string Word, string Text)
{
    /// <summary>By which factor Poolhouse is behind the best of the others; at most 1 if it is ahead of all.</summary>
    public double Behind { get; } = 1 / Result.Standings.Skip(1).Select(each => each.Cost).DefaultIfEmpty(1).Min();

    /// <summary>Group by group, the losses first in each.</summary>
    public static IReadOnlyList<Summary> Of(BenchResult result) =>
    [
        .. result.Studies.Where(study => !study.IsEmpty).Select(Of).OrderBy(each => each.Advice)
            .ThenByDescending(each => each.Behind),
    ];

    public static Summary Of(StudyResult result)
    {
        var verdict = result.Verdict;
        var rival = result.Standings.Skip(1).FirstOrDefault(each => each.Rival != RivalNames.NoPool);
        var isBehind = rival is not null && 1 / rival.Cost > Losses.Margin && result.Lost > 0;
        var (advice, word) = verdict.Outcome switch
        {
            Outcome.Pays or Outcome.Holds when isBehind => (Advice.Depends, "beaten"),
            Outcome.Pays or Outcome.Holds or Outcome.Recommended => (Advice.UseIt, Badges.TextOf(verdict.Outcome)),
            Outcome.DoesNotPay or Outcome.FallsShort => (Advice.DoNot, Badges.TextOf(verdict.Outcome)),
            _ => (Advice.Depends, Badges.TextOf(verdict.Outcome)),
        };
        return new Summary(result, advice, word, $"{result.Promise}{verdict.Text}{result.LossText}");
    }

    /// <summary>The run in a sentence.</summary>
    public static string Headline(IReadOnlyList<Summary> summaries)
    {
        var (use, depends, doNot) = (CountOf(Advice.UseIt), CountOf(Advice.Depends), CountOf(Advice.DoNot));
        return summaries.Count == 1
            ? summaries[0].Advice switch
            {
                Advice.UseIt => "Poolhouse pays off here",
                Advice.DoNot => "Poolhouse does not pay off here",
                _ => summaries[0].Word == "inconclusive" ? "Too noisy to tell" : "Poolhouse pays off here in part",
            }
            : $"Poolhouse pays off in {Units.Count(use)} of {Units.Count(summaries.Count)} experiments"
                + Part(depends, "it depends") + Part(doNot, "it does not");

        int CountOf(Advice advice) => summaries.Count(each => each.Advice == advice);

        static string Part(int count, string what) => count == 0 ? string.Empty : $"; in {Units.Count(count)} {what}";
    }

    public static string TitleOf(Advice advice) => advice switch
    {
        Advice.UseIt => "Use it for",
        Advice.Depends => "It depends",
        _ => "Do not use it for",
    };
}
