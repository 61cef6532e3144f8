using System.Globalization;
using System.Text;
using Microsoft.CodeAnalysis;
using Poolhouse.Analyzers.Tests.Harness;
using Poolhouse.TestSupport;

namespace Poolhouse.Analyzers.Tests.Seeded;

/// <summary>Bugs planted in correct code: what the rules find of them, and that they find nothing in the correct code.</summary>
public sealed class SeededBugs
{
    private const string AcceptVariable = "POOLHOUSE_ACCEPT_RECALL";
    private const string TableStart = "<!-- seeded -->\n";
    private const string TableEnd = "<!-- end seeded -->";

    [Fact]
    public void Every_original_and_every_mutant_compiles()
    {
        var sources = SeededFile.All.SelectMany(file =>
            file.Mutants.Select(mutant => (Name: $"{file.Name}, {mutant}", mutant.Source))
                .Append((Name: file.Name, Source: file.Original)));
        Assert.All(sources, source => Assert.True(
            Compiler.ErrorsOf(Compiler.Compile(source.Source)) is [],
            $"{source.Name}: {string.Join("; ", Compiler.ErrorsOf(Compiler.Compile(source.Source)))}"));
    }

    [Fact]
    public void At_least_forty_bugs_are_seeded() => Assert.True(SeededFile.All.Sum(file => file.Mutants.Count) >= 40);

    [Fact]
    public async Task The_originals_have_no_warning()
    {
        var unwanted = new List<string>();
        foreach (var file in SeededFile.All)
        {
            unwanted.AddRange(
                from finding in await Analysis.FindAsync(Compiler.Compile(file.Original))
                where finding.Severity == DiagnosticSeverity.Warning
                select $"{file.Name}{finding.Location.GetLineSpan().StartLinePosition}: {finding.Id} " +
                    $"{finding.GetMessage(CultureInfo.InvariantCulture)}");
        }

        Assert.Empty(unwanted);
    }

    [Fact]
    public async Task What_a_rule_claims_to_find_is_found_and_nine_in_ten_by_a_warning()
    {
        var rows = new SortedDictionary<string, (int Seeded, int Warned, int Suggested)>(StringComparer.Ordinal);
        var missed = new List<string>();
        var notClaimed = 0;
        foreach (var (file, mutant) in SeededFile.All.SelectMany(file => file.Mutants.Select(mutant => (file, mutant))))
        {
            var findings = await Analysis.FindAsync(Compiler.Compile(mutant.Source));
            if (!mutant.IsClaimed)
            {
                notClaimed++;
                continue;
            }

            var found = findings.FirstOrDefault(finding => string.Equals(finding.Id, mutant.Rule, StringComparison.Ordinal)
                && mutant.Places.Any(place => place.IntersectsWith(finding.Location.SourceSpan)));
            if (found is null == !PendingRules.Ids.Contains(mutant.Rule))
            {
                missed.Add($"{file.Name}, {mutant}: {(found is null ? "missed" : "no longer pending")}; found {string.Join(", ", findings.Select(finding =>
                    $"{finding.Id} at {finding.Location.GetLineSpan().StartLinePosition}"))}");
            }

            var row = rows.GetValueOrDefault(mutant.Rule);
            rows[mutant.Rule] = (
                row.Seeded + 1,
                row.Warned + (found?.Severity == DiagnosticSeverity.Warning ? 1 : 0),
                row.Suggested + (found?.Severity == DiagnosticSeverity.Info ? 1 : 0));
        }

        Assert.True(missed.Count == 0, string.Join('\n', missed));
        var seeded = rows.Where(row => !PendingRules.Ids.Contains(row.Key)).Sum(row => row.Value.Seeded) + notClaimed;
        var warned = rows.Values.Sum(row => row.Warned);
        Assert.True(warned >= 0.9 * seeded, $"{warned} of {seeded} bugs are found by a warning.");
        CompareWithPage(TableOf(rows, notClaimed));
    }

    private static string TableOf(SortedDictionary<string, (int Seeded, int Warned, int Suggested)> rows, int notClaimed)
    {
        var table = new StringBuilder("| rule | bugs | found by a warning | found by a suggestion |\n|---|---|---|---|\n");
        foreach (var (rule, row) in rows)
        {
            table.Append(CultureInfo.InvariantCulture, $"| {rule} | {row.Seeded} | {row.Warned} | {row.Suggested} |\n");
        }

        return table.Append(CultureInfo.InvariantCulture, $"| on some paths only: no rule | {notClaimed} | 0 | 0 |\n")
            .Append(
                CultureInfo.InvariantCulture,
                $"| all | {rows.Values.Sum(row => row.Seeded) + notClaimed} | {rows.Values.Sum(row => row.Warned)} | " +
                $"{rows.Values.Sum(row => row.Suggested)} |\n")
            .ToString();
    }

    private static void CompareWithPage(string table)
    {
        var page = Checkout.PathOf("test", "Poolhouse.Analyzers.Tests", "README.md");
        var text = File.ReadAllText(page).ReplaceLineEndings("\n");
        var start = text.IndexOf(TableStart, StringComparison.Ordinal) + TableStart.Length;
        var end = text.IndexOf(TableEnd, StringComparison.Ordinal);
        if (string.Equals(Environment.GetEnvironmentVariable(AcceptVariable), "1", StringComparison.Ordinal))
        {
            File.WriteAllText(page, text[..start] + table + text[end..]);
            return;
        }

        Assert.True(
            string.Equals(table, text[start..end], StringComparison.Ordinal),
            $"The table of seeded bugs in the README of this project differs. Run the tests once with {AcceptVariable}=1 and commit " +
            $"it. It should be:\n{table}");
    }
}
