using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Objects;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Report.Comparing;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Streams;
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
        var change = Assert.Single(Compare([Own(then)], [Own(now)]).Cells);

        Assert.Equal(judgement, change.Judgement);
        Assert.Equal(now / then, change.Ratio, 6);
    }

    [Fact]
    public void Rounds_without_spread_must_still_differ_by_the_margin()
    {
        var then = Own(100) with { Fastest = 100, Slowest = 100 };
        var now = Own(104) with { Fastest = 104, Slowest = 104 };

        Assert.True(Assert.Single(Compare([then], [now]).Cells).IsNoise);
    }

    [Fact]
    public void Single_rounds_are_not_compared()
    {
        Assert.True(Assert.Single(Compare([Own(100) with { Rounds = 1 }], [Own(200)]).Cells).IsNoise);
        Assert.True(Assert.Single(Compare([Own(100)], [Own(20) with { Rounds = 1 }]).Cells).IsNoise);
    }

    [Theory]
    [InlineData(200, 50, "slower")]
    [InlineData(200, 75, "slower")]
    [InlineData(200, 98, "noise")] // the rival takes nearly twice its time, too
    [InlineData(200, 150, "noise")]
    [InlineData(50, 50, "faster")]
    [InlineData(50, 24, "noise")]
    public void A_cell_changed_only_if_it_changed_more_than_its_other_rivals(double now, double rivalNow, string judgement)
    {
        var change = Assert.Single(Compare([Own(100), Rival(50)], [Own(now), Rival(rivalNow)]).Cells);

        Assert.Equal(judgement, change.Judgement);
    }

    [Fact]
    public void A_run_on_a_busy_machine_is_named()
    {
        var busy = Own(100) with { Slowest = 150 };

        Assert.Equal(
            [
                "The machine was busy during the earlier run: rounds differ by 1.67× in the median, and runs may differ by more. "
                    + "Trust a difference only if it shows up again.",
            ],
            Compare([busy], [Own(100)]).Differences);
        Assert.Empty(Compare([Own(100)], [Own(100)]).Differences);
    }

    [Theory]
    [InlineData(9, 8, "noise")]
    [InlineData(9, 7, "changed")]
    [InlineData(0, 1, "changed")]
    public void A_number_changed_only_if_it_differs_by_more_than_1_unless_there_were_none(
        double then, double now, string judgement)
    {
        static Finding Number(double value) => new("Number", value, Quantity.Count, Expectation.None);

        Assert.Equal(judgement, Assert.Single(Compare(Scenario(Number(then)), Scenario(Number(now))).Figures).Judgement);
    }

    [Fact]
    public void Cells_are_matched_by_all_their_conditions()
    {
        var comparison = Compare(
            [Own(100), Own(100, threads: 4), Own(100, retained: 64)],
            [Own(100), Own(200, threads: 2), Own(50, retained: 64)]);

        Assert.Equal([1, 0.5], comparison.Cells.Select(change => change.Ratio));
        Assert.Equal(1, comparison.Missing);
        Assert.Contains("slower in 0, faster in 1, and within noise in 1;", comparison.Text(), StringComparison.Ordinal);
        Assert.Contains(
            "Cells and figures that the earlier run does not have: 1.", comparison.Text(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_machine_that_is_slower_for_all_is_named()
    {
        var comparison = Compare([Own(100), Rival(50)], [Own(200), Rival(100)]);

        Assert.Equal(2, Assert.Single(comparison.Cells).Others);
        Assert.Contains("The other rivals take 2.00× of their earlier time", comparison.Text(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(100, 100, 100, 100, false)]
    [InlineData(100, 104, 100, 100, false)] // 4 % more
    [InlineData(0.1, 0.9, 0, 0, false)] // less than a byte
    [InlineData(32, 0, 100, 100, true)]
    [InlineData(100, 200, 100, 200, false)] // the other rival too, whose code is the same
    [InlineData(100, 200, 100, 120, true)]
    public void A_cell_that_allocates_more_or_less_is_found(
        double then, double now, double rivalThen, double rivalNow, bool found)
    {
        var comparison = Compare(
            [Own(100) with { BytesPerOperation = then }, Rival(50) with { BytesPerOperation = rivalThen }],
            [Own(100) with { BytesPerOperation = now }, Rival(50) with { BytesPerOperation = rivalNow }]);

        Assert.Equal(found, comparison.Bytes.Count == 1);
    }

    [Theory]
    [InlineData(90, 190, "new")]
    [InlineData(190, 90, "gone")]
    [InlineData(90, 90, "")]
    [InlineData(190, 190, "")]
    [InlineData(101, 115, "")] // ahead by more than 5 % now, but within the rounds of both runs
    public void A_loss_is_new_or_gone_only_if_the_rounds_explain_it(double then, double now, string judgement)
    {
        var comparison = Compare([Own(then), Rival(100)], [Own(now), Rival(100)]);

        Assert.Equal(judgement, string.Join(' ', comparison.Losses.Select(loss => loss.Judgement)));
        Assert.All(comparison.Losses, loss => Assert.Equal(RivalNames.DefaultPool, loss.Rival));
    }

    [Theory]
    [InlineData(0.100, 0.100, 0.100, "noise")]
    [InlineData(0.100, 0.108, 0.100, "noise")] // less than a tenth
    [InlineData(0.001, 0.003, 0.100, "noise")] // less than 3 ms
    [InlineData(0.100, 0.200, 0.100, "worse")]
    [InlineData(0.200, 0.100, 0.100, "better")]
    [InlineData(0.100, 0.200, 0.250, "noise")] // the rival's moved more: 100 ms to 250 ms
    [InlineData(0.100, 0.200, 0.150, "worse")]
    [InlineData(0.100, double.PositiveInfinity, 0.150, "worse")]
    public void A_figure_of_a_scenario_changed_only_if_it_moved_more_than_that_of_any_rival(
        double then, double now, double rivalNow, string judgement)
    {
        var comparison = Compare(Scenario(Time(then), Time(0.1)), Scenario(Time(now), Time(rivalNow)));

        Assert.Equal(judgement, Assert.Single(comparison.Figures).Judgement);
        Assert.Equal(judgement == "noise" ? 0 : 1, comparison.ClearFigures.Count);
    }

    [Fact]
    public void A_figure_in_which_more_is_better_is_worse_when_it_falls()
    {
        static Finding Served(double value) => new("Served", value, Quantity.PerSecond, Expectation.More);

        Assert.Equal("worse", Assert.Single(Compare(Scenario(Served(100)), Scenario(Served(50))).Figures).Judgement);
    }

    [Theory]
    [InlineData(0.050, 0.200, "new")]
    [InlineData(0.200, 0.050, "gone")]
    [InlineData(0.109, 0.111, "")] // ahead by more than a tenth now, but no figure moved
    public void A_loss_of_a_scenario_is_new_or_gone_only_if_a_figure_moved(double then, double now, string judgement)
    {
        var comparison = Compare(Scenario(Time(then), Time(0.1)), Scenario(Time(now), Time(0.1)));

        Assert.Equal(judgement, string.Join(' ', comparison.Losses.Select(loss => loss.Judgement)));
    }

    [Fact]
    public void A_verdict_that_changed_is_shown_and_said_to_be_noise_if_no_figure_explains_it()
    {
        static Trial[] With(double time, double bytes)
        {
            return [TrialOf(RivalNames.Poolhouse, time, bytes), TrialOf(RivalNames.NoPool, 0.1, 1000)];

            static Trial TrialOf(string rival, double time, double bytes) => new(
                rival,
                [],
                [
                    new Finding("Time for 64 streams", time, Quantity.Seconds, Expectation.Less),
                    new Finding("Allocated for 64 streams", bytes, Quantity.Bytes, Expectation.Less),
                    new Finding("Most managed memory", 1, Quantity.Bytes, Expectation.Less),
                ]);
        }

        var atTheLimit = Assert.Single(Compare(ScenarioOf(With(0.099, 1)), ScenarioOf(With(0.101, 1))).Verdicts);
        var explained = Assert.Single(Compare(ScenarioOf(With(0.099, 1)), ScenarioOf(With(0.2, 1))).Verdicts);

        Assert.Equal((Outcome.Holds, Outcome.FallsShort), (atTheLimit.Then.Outcome, atTheLimit.Now.Outcome));
        Assert.Equal("noise: no figure changed clearly", atTheLimit.Judgement);
        Assert.Equal("changed", explained.Judgement);
        Assert.Empty(Compare(ScenarioOf(With(0.099, 1)), ScenarioOf(With(0.050, 1))).Verdicts);
    }

    [Fact]
    public void Studies_that_only_one_run_has_are_named()
    {
        Assert.Contains(
            "Only in the earlier run: objects-matrix. Only in this run: streams-alive.",
            Compare(Result([Own(100)]), Scenario(Time(1))).Text(), StringComparison.Ordinal);
    }

    [Fact]
    public void Runs_of_other_machines_versions_and_settings_say_so()
    {
        var now = Samples.Machine() with
        {
            Cpu = "another",
            Runtime = ".NET 11",
            Command = "poolhouse bench objects --threads 1,2 --report there",
        };
        Assert.Equal(
            [
                "The earlier run was made on another machine: processor Test <CPU> & Co, now another.",
                "Versions differ: runtime .NET 10, now .NET 11.",
                "Settings differ: options --quick, now --threads 1,2.",
                "Scenarios last longer without --quick, so that their figures are not compared.",
            ],
            RunDifferences.Of(Samples.Machine(), now));
    }

    [Fact]
    public void Runs_that_differ_only_in_what_is_measured_and_where_it_is_written_are_alike()
    {
        static Machine With(string command) => Samples.Machine() with { Command = command };

        Assert.Empty(RunDifferences.Of(
            With("poolhouse bench streams --quick --report a --threads 1,2"),
            With("poolhouse bench --json file.json --threads 1,2 --quick all --compare b")));
    }

    [Fact]
    public void Scenarios_of_another_length_are_not_compared()
    {
        var full = Scenario(Time(1));
        full = full with { Machine = full.Machine with { Command = "poolhouse bench" } };

        Assert.Empty(Compare(full, Scenario(Time(2))).Figures);
    }

    [Fact]
    public void The_page_shows_what_changed()
    {
        var result = Result([Own(130)]);
        var page = HtmlReport.Write(result with { Comparison = Compare([Own(100)], [Own(130)]) });

        Assert.Contains("href=\"#compared\"", page, StringComparison.Ordinal);
        Assert.Contains("<td>100 ns</td><td>130 ns</td><td>1.30×</td><td></td><td>slower</td>", page, StringComparison.Ordinal);
        Assert.Contains("href=\"#compared-times\"", page, StringComparison.Ordinal);
        Assert.Contains("id=\"compared-times\"", page, StringComparison.Ordinal);
        Assert.DoesNotContain("compared-bytes", page, StringComparison.Ordinal);
        Assert.DoesNotContain("id=\"compared\"", HtmlReport.Write(result), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_run_is_compared_with_the_report_of_an_earlier_one()
    {
        using var folder = new TemporaryFolder();
        var first = await ToolRun.Of("bench", "streams-alive", "--report", folder.At("first"));
        Assert.Equal(ExitCode.Success, first.ExitCode);
        Assert.DoesNotContain("earlier run", first.Output, StringComparison.Ordinal);
        Assert.All(
            Directory.GetFiles(folder.At("first"), "*", SearchOption.AllDirectories),
            path => Assert.DoesNotContain(folder.At("first"), File.ReadAllText(path), StringComparison.Ordinal));

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

    private static Finding Time(double seconds) => new("Time", seconds, Quantity.Seconds, Expectation.Less);

    private static BenchResult Scenario(Finding own, Finding? rival = null) => ScenarioOf(
        [new Trial(RivalNames.Poolhouse, [], [own]), new Trial(RivalNames.Recyclable, [], rival is null ? [] : [rival])]);

    private static BenchResult ScenarioOf(Trial[] trials) =>
        Result([]) with { Studies = [new ScenarioResult(new ManyStreams(), trials, trials.Length)] };

    private static Comparison Compare(IReadOnlyList<Measurement> then, IReadOnlyList<Measurement> now) =>
        Compare(Result(then), Result(now));

    private static Comparison Compare(BenchResult then, BenchResult now) =>
        Comparison.Of(JsonReport.Read(JsonReport.Write(then))!, now);
}
