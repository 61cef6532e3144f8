using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Report.Summing;
using Spectre.Console;
using ConsoleTable = Spectre.Console.Table;
using Table = Poolhouse.Tool.Bench.Table;

namespace Poolhouse.Tool.Cli.Studies;

/// <summary>What <c>bench</c> prints, for 80 columns and without relying on colour.</summary>
internal static class BenchConsole
{
    /// <summary>For a run that the user ends early.</summary>
    public const string StoppedEarly = "Stopped before anything was measured; nothing was written.";

    private const int MostLosses = 5;

    public static void PrintHead(IAnsiConsole console, Machine machine, IReadOnlyList<string> skipped)
    {
        console.WriteLine(
            $"{machine.Cpu}, {Units.Count(machine.Cores)} cores; {machine.Runtime}; Poolhouse {machine.PoolhouseVersion}"
            + (machine.Databases.Length == 0 ? "" : $"; {machine.Databases}"));
        foreach (var reason in skipped)
        {
            console.WriteLine(reason);
        }

        if (machine.IsDebugBuild)
        {
            console.MarkupLine("[red bold]This is a debug build: its figures are meaningless. Run with -c Release.[/]");
        }
    }

    public static void PrintResult(IAnsiConsole console, BenchResult result)
    {
        foreach (var study in result.Studies.Where(each => !each.IsEmpty))
        {
            PrintStudy(console, study);
        }

        PrintVerdicts(console, result);
        if (result.Comparison is { } comparison)
        {
            ComparisonConsole.Print(console, comparison);
        }

        PrintLosses(console, result);
        if (Noise.Warning(result) is { } warning)
        {
            console.WriteLine();
            console.WriteParagraph(warning);
        }

        if (result.WasStopped)
        {
            console.WriteLine();
            console.WriteLine("Stopped early: the report contains the measurements until then.");
        }
    }

    public static void PrintLocation(IAnsiConsole console, string folder, string requested, string? json)
    {
        console.WriteLine();
        if (folder != Path.TrimEndingDirectorySeparator(Path.GetFullPath(requested)))
        {
            console.WriteLine($"'{requested}' contains an earlier report, so this one has another name.");
        }

        // No wrapping: a path in two lines cannot be clicked or copied.
        console.Profile.Out.Writer.WriteLine($"Report: {Path.Combine(folder, ReportWriter.Page)}");
        if (json is not null)
        {
            console.Profile.Out.Writer.WriteLine($"JSON:   {Path.GetFullPath(json)}");
        }
    }

    private static void PrintStudy(IAnsiConsole console, StudyResult result)
    {
        console.WriteLine();
        console.Write(new Rule(Markup.Escape(result.Study.Title)).LeftJustified());
        foreach (var table in result.Tabulate())
        {
            console.Write(TableOf(table));
        }
    }

    private static ConsoleTable TableOf(Table table)
    {
        var result = new ConsoleTable().Border(TableBorder.Simple);
        if (table.Title.Length > 0)
        {
            result.Title(new TableTitle(Markup.Escape(table.Title)));
        }

        foreach (var column in table.Columns)
        {
            result.AddColumn(
                new TableColumn(new Text(column)) { Padding = new Padding(1, 0, 0, 0), NoWrap = true }.RightAligned());
        }

        foreach (var row in table.Rows)
        {
            result.AddRow(row.Select(cell => new Text(cell)));
        }

        return result;
    }

    private static void PrintVerdicts(IAnsiConsole console, BenchResult result)
    {
        var summaries = Summary.Of(result);
        console.WriteLine();
        console.Write(new Rule("Verdicts").LeftJustified());
        if (summaries.Count > 1 && result.HasAdvice)
        {
            console.WriteParagraph(Summary.Headline(summaries) + ".");
        }

        foreach (var group in summaries.GroupBy(each => each.Advice))
        {
            console.WriteLine();
            console.WriteLine(Summary.TitleOf(group.Key));
            var colour = group.Key switch
            {
                Advice.UseIt => Color.Green,
                Advice.DoNot => Color.Red,
                _ => Color.Default,
            };
            foreach (var summary in group)
            {
                console.WriteParagraph($"- {summary.Result.Study.Id}: {summary.Word}. {summary.Text}", new Style(colour));
            }
        }

        foreach (var empty in result.Studies.Where(study => study.IsEmpty))
        {
            console.WriteParagraph($"{empty.Study.Id}: {empty.Verdict.Text}");
        }
    }

    private static void PrintLosses(IAnsiConsole console, BenchResult result)
    {
        if (LossSummary.Of(result) is not { HasComparisons: true } losses)
        {
            return;
        }

        console.WriteLine();
        console.Write(new Rule("Where Poolhouse loses").LeftJustified());
        console.WriteParagraph(losses.Text);
        foreach (var (experiment, loss) in losses.Worst.Take(MostLosses))
        {
            console.WriteParagraph(
                $"- {experiment.Id}, {experiment.Describe(loss.Own)}: {Units.Duration(loss.Own.Nanoseconds)}; "
                + $"{loss.Best.Rival} {Units.Duration(loss.Best.Nanoseconds)}");
        }

        foreach (var (scenario, loss) in losses.Figures)
        {
            console.WriteParagraph($"- {scenario.Id}, {loss.Own.Name}: {loss.Own.Text}; {loss.Rival} {loss.Best.Text}");
        }
    }
}
