using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Report.Comparing;
using Spectre.Console;

namespace Poolhouse.Tool.Cli.Studies;

/// <summary>What <c>bench --compare</c> prints: what changed by more than noise, the rest is in the report.</summary>
internal static class ComparisonConsole
{
    private const int Most = 5;

    public static void Print(IAnsiConsole console, Comparison comparison)
    {
        console.WriteLine();
        console.Write(new Rule("Compared with the earlier run").LeftJustified());
        foreach (var difference in comparison.Differences)
        {
            console.WriteParagraph(difference, new Style(Color.Red));
        }

        console.WriteParagraph(comparison.Text());
        foreach (var line in Lines(comparison))
        {
            console.WriteParagraph($"- {line}");
        }
    }

    private static IEnumerable<string> Lines(Comparison comparison) =>
    [
        .. comparison.Verdicts.Select(change =>
            $"{change.Study.Id}: {Badges.TextOf(change.Then.Outcome)} then, {Badges.TextOf(change.Now.Outcome)} now; "
            + change.Judgement),
        .. comparison.Losses.Take(Most).Select(loss =>
            $"{loss.Judgement} loss to {loss.Rival}: {loss.Where}: {loss.Then} then, {loss.Now} now"),
        .. comparison.Cells.Where(change => change.IsSlower).Take(Most)
            .Concat(comparison.Cells.Where(change => change.IsFaster).TakeLast(Most)).Select(TimeOf),
        .. comparison.Bytes.Take(Most).Select(change =>
            $"{NameOf(change)}: {Units.Bytes(change.Then.BytesPerOperation)} then, "
            + $"{Units.Bytes(change.Now.BytesPerOperation)} now"),
        .. comparison.ClearFigures.Take(Most).Select(change =>
            $"{change.Study.Id}, {change.Now.Name}: {change.Then.Text} then, {change.Now.Text} now: {change.Judgement}"),
    ];

    private static string TimeOf(CellChange change) =>
        $"{NameOf(change)}: {Units.Duration(change.Then.Nanoseconds)} then, {Units.Duration(change.Now.Nanoseconds)} now: "
        + $"{Units.Ratio(change.Ratio)}, {change.Judgement}"
        + (change.Others is { } others ? $" (other rivals {Units.Ratio(others)})" : "");

    private static string NameOf(CellChange change) => $"{change.Experiment.Id}, {change.Experiment.Describe(change.Now)}";
}
