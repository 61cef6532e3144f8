using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Growth;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Cli;

namespace Poolhouse.Tool.Tests.Experiments;

public sealed class GrowthVerdicts
{
    [Theory]
    [InlineData(100, 199, true)]
    [InlineData(100, 201, false)]
    public void A_line_is_flat_up_to_twice_its_beginning(double first, double last, bool isFlat) =>
        Assert.Equal(
            isFlat ? Outcome.Holds : Outcome.FallsShort,
            new GrowthOfPools().Judge([.. Line("keys", first, 120, last), .. Line("waiters", 50, 50, 50)]).Outcome);

    [Fact]
    public void A_steep_line_is_named()
    {
        var verdict = new GrowthOfPools().Judge([.. Line("keys", 100, 150, 900), .. Line("waiters", 50, 50, 50)]);

        Assert.Equal("A rent costs more than 2.00× as much with many keys (9.00× at 100).", verdict.Text);
    }

    [Fact]
    public void Every_number_grows_to_what_is_promised()
    {
        var plan = new GrowthOfPools().Plan(new BenchPlan(Quick: false, [1, 2], 2, Input: null));

        Assert.Equal(
            ["idle items 10000", "keys 100000", "leased items 10000", "object pools 10000", "resource pools 10000", "threads 512",
                "waiters 100000"],
            plan.GroupBy(cell => cell.Scenario).Select(cells => $"{cells.Key} {cells.Max(cell => cell.Parameters[0])}")
                .Order(StringComparer.Ordinal));
        Assert.All(plan, cell => Assert.Equal(cell.Scenario is "threads" ? cell.Parameters[0] : 1, cell.Threads));
    }

    [Fact]
    public async Task Growth_draws_a_chart_for_each_number()
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("bench", "growth", "--quick", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.DoesNotContain("Where Poolhouse loses", run.Output, StringComparison.Ordinal);
        var document = JsonReport.Read(
            await File.ReadAllTextAsync(folder.At("report/results.json"), TestContext.Current.CancellationToken))!;
        Assert.Equal(7, Assert.Single(document.Experiments).Measurements.Select(each => each.Scenario).Distinct().Count());
        var page = await File.ReadAllTextAsync(folder.At("report/index.html"), TestContext.Current.CancellationToken);
        Assert.Equal(7, page.Split("<figure>").Length - 1);
    }

    private static IEnumerable<Measurement> Line(string scenario, params double[] times) =>
        times.Select((time, i) => Samples.Measurement(RivalNames.Poolhouse, time, 1, "growth", scenario, (long)Math.Pow(10, i)));
}
