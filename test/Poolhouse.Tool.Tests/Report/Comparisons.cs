using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Objects;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Cli;

namespace Poolhouse.Tool.Tests.Report;

/// <summary><c>bench --compare</c>: this run against an earlier one.</summary>
public sealed class Comparisons
{
    [Theory]
    [InlineData(100, 100, "noise")]
    [InlineData(100, 118, "noise")] // The rounds of both overlap: 90 to 110, and 106 to 130.
    [InlineData(100, 130, "slower")]
    [InlineData(100, 75, "faster")]
    [InlineData(100, 85, "noise")]
    public void A_cell_changed_only_if_no_rounds_overlap(double then, double now, string judgement)
    {
        var change = Assert.Single(Compare([Own(then)], [Own(now)]).Changes);

        Assert.Equal(judgement, change.Judgement);
        Assert.Equal(now / then, change.Ratio, 6);
    }

    [Fact]
    public void Rounds_without_spread_must_still_differ_by_the_margin()
    {
        var then = Own(100) with { Fastest = 100, Slowest = 100 };
        var now = Own(104) with { Fastest = 104, Slowest = 104 };

        Assert.True(Assert.Single(Compare([then], [now]).Changes).IsNoise);
    }

    [Fact]
    public void Cells_are_matched_by_all_their_conditions()
    {
        var comparison = Compare(
            [Own(100), Own(100, threads: 4), Own(100, retained: 64)],
            [Own(100), Own(200, threads: 2), Own(50, retained: 64)]);

        Assert.Equal([1, 0.5], comparison.Changes.Select(change => change.Ratio));
        Assert.Equal(1, comparison.Missing);
        Assert.Contains(
            "slower in 0, faster in 1, and within noise in 1. Cells that the earlier run did not measure: 1.",
            comparison.Text(Samples.Machine()), StringComparison.Ordinal);
    }

    [Fact]
    public void A_machine_that_is_slower_for_all_is_named()
    {
        var comparison = Compare([Own(100), Rival(50)], [Own(200), Rival(100)]);

        Assert.Equal(2, Assert.Single(comparison.Changes).Others);
        Assert.Contains(
            "The other rivals take 2.00× of their earlier time", comparison.Text(Samples.Machine()), StringComparison.Ordinal);
        Assert.DoesNotContain("elsewhere", comparison.Text(Samples.Machine()), StringComparison.Ordinal);
        Assert.Contains(
            "elsewhere: Test <CPU>", comparison.Text(Samples.Machine() with { Cpu = "another" }), StringComparison.Ordinal);
    }

    [Fact]
    public void The_page_shows_what_changed()
    {
        var result = Result([Own(130)]);
        var page = HtmlReport.Write(result with { Comparison = Compare([Own(100)], [Own(130)]) });

        Assert.Contains("href=\"#compared\"", page, StringComparison.Ordinal);
        Assert.Contains("<td>100 ns</td><td>130 ns</td><td>1.30×</td><td></td><td>slower</td>", page, StringComparison.Ordinal);
        Assert.DoesNotContain("id=\"compared\"", HtmlReport.Write(result), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_run_is_compared_with_the_report_of_an_earlier_one()
    {
        using var folder = new TemporaryFolder();
        var first = await ToolRun.Of("bench", "streams-alive", "--report", folder.At("first"));
        Assert.Equal(ExitCode.Success, first.ExitCode);
        Assert.DoesNotContain("earlier run", first.Output, StringComparison.Ordinal);

        foreach (var earlier in new[] { folder.At("first"), folder.At("first/results.json") })
        {
            var second = await ToolRun.Of("bench", "streams-alive", "--report", folder.At("second"), "--compare", earlier);

            Assert.Equal(ExitCode.Success, second.ExitCode);
            Assert.Contains("Compared with the earlier run", second.Output, StringComparison.Ordinal);
        }

        Assert.Contains(
            "id=\"compared\"", await File.ReadAllTextAsync(folder.At("second/index.html"), TestContext.Current.CancellationToken),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("missing.json", "cannot be read")]
    [InlineData("empty", "cannot be read")]
    [InlineData("text.json", "does not contain results of 'poolhouse bench'")]
    [InlineData("other.json", "does not contain results of 'poolhouse bench'")]
    public async Task Results_that_cannot_be_compared_are_rejected_before_anything_is_measured(string name, string message)
    {
        using var folder = new TemporaryFolder();
        Directory.CreateDirectory(folder.At("empty"));
        folder.Write("text.json", "not JSON");
        folder.Write("other.json", "{}");
        var run = await ToolRun.Of("bench", "streams-alive", "--report", folder.At("report"), "--compare", folder.At(name));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith($"--compare '{folder.At(name)}' {message}", run.Error, StringComparison.Ordinal);
        Assert.Empty(run.Output);
    }

    private static Measurement Own(double nanoseconds, int threads = 1, long retained = 32) =>
        Samples.Measurement(RivalNames.Poolhouse, nanoseconds, threads, "objects-matrix", "short rentals", retained, 8);

    private static Measurement Rival(double nanoseconds) =>
        Samples.Measurement(RivalNames.DefaultPool, nanoseconds, 1, "objects-matrix", "short rentals", 32, 8);

    private static BenchResult Result(IReadOnlyList<Measurement> measurements) =>
        new(Samples.Machine(),
            [new ExperimentResult(new RentalMatrix(), measurements, 1)], TimeSpan.FromSeconds(1), WasStopped: false);

    private static Comparison Compare(IReadOnlyList<Measurement> then, IReadOnlyList<Measurement> now) =>
        Comparison.Of(JsonReport.Read(JsonReport.Write(Result(then)))!, Result(now).Experiments);
}
