using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Objects;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Report.Summing;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Tests.Report;

/// <summary>The first screen of the report.</summary>
public sealed class Summaries
{
    [Fact]
    public void Poolhouse_stands_beside_the_best_other_pool_and_no_pool()
    {
        var standings = Of(own: 10, rival: 20, none: 40).Result.Standings;

        Assert.Equal(
            [(RivalNames.Poolhouse, 1), (RivalNames.DefaultPool, 2), (RivalNames.NoPool, 4)],
            standings.Select(each => (each.Rival, Math.Round(each.Cost, 6))));
    }

    [Theory]
    [InlineData(10, 20, 40, "faster")]
    [InlineData(30, 20, 40, "beaten")]
    [InlineData(50, 60, 40, "slower")]
    public void The_word_says_whether_it_pays_and_whether_another_pool_is_better(
        double own, double rival, double none, string word) =>
        Assert.Equal(word, Of(own, rival, none).Word);

    [Fact]
    public void Rivals_that_differ_by_less_than_the_rounds_are_inconclusive()
    {
        var noisy = Of(own: 100, rival: 105, none: 110, spread: 2);
        var clear = Of(own: 100, rival: 105, none: 300, spread: 2);

        Assert.Equal((Advice.Depends, "inconclusive"), (noisy.Advice, noisy.Word));
        Assert.Contains("Measure again on a quiet machine", noisy.Text, StringComparison.Ordinal);
        Assert.Equal("faster", clear.Word);
    }

    [Fact]
    public void The_sentence_has_the_figures_of_the_picture()
    {
        var summary = Of(own: 10, rival: 20, none: 40);

        Assert.EndsWith(
            "Time, if Poolhouse takes 1×: DefaultObjectPool 2.00×, no pool 4.00×.", summary.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Groups_come_in_order_and_losses_first_in_each()
    {
        var result = new BenchResult(
            Samples.Machine(),
            [Study(50, 60, 40), Study(10, 20, 40), Study(10, 9.9, 40), Scenario(6, 50), Scenario(7, 50)], TimeSpan.FromSeconds(1),
            WasStopped: false);

        var summaries = Summary.Of(result);

        Assert.Equal(
            [Advice.UseIt, Advice.UseIt, Advice.UseIt, Advice.DoNot, Advice.DoNot], summaries.Select(each => each.Advice));
        Assert.All(
            summaries.GroupBy(each => each.Advice),
            group => Assert.Equal(
                group.Select(each => each.Behind).OrderDescending(), group.Select(each => each.Behind)));
        Assert.Equal("Poolhouse pays off in 3 of 5 experiments; in 2 it does not", Summary.Headline(summaries));
    }

    [Fact]
    public void A_promise_is_named_with_its_figure_and_the_rival()
    {
        var text = Summary.Of(Scenario(6, 50)).Text;

        Assert.StartsWith("Promised: at most 6 sessions, ", text, StringComparison.Ordinal);
        Assert.Contains("at most 6 sessions (promised: 6), the channel pool 50;", text, StringComparison.Ordinal);
    }

    [Fact]
    public void The_figure_of_a_scenario_is_named_once() =>
        Assert.Equal(["6 (live, at most)", "50"], Scenario(6, 50).Standings.Select(each => each.Text));

    [Fact]
    public void A_pool_that_never_served_has_the_longest_bar()
    {
        var page = HtmlReport.Write(new BenchResult(
            Samples.Machine(), [Scenario(6, double.PositiveInfinity), Study(10, 20, 40)], TimeSpan.FromSeconds(1),
            WasStopped: false));

        Assert.Contains("width:50%", page, StringComparison.Ordinal);
    }

    [Fact]
    public void The_style_has_nothing_that_XML_escapes()
    {
        var page = HtmlReport.Write(
            new BenchResult(Samples.Machine(), [Study(10, 20, 40)], TimeSpan.FromSeconds(1), WasStopped: false));
        var style = page[page.IndexOf("<style>", StringComparison.Ordinal)..page.IndexOf("</style>", StringComparison.Ordinal)];

        Assert.DoesNotContain("&", style, StringComparison.Ordinal);
    }

    private static Summary Of(double own, double rival, double none, double spread = 1.1) =>
        Summary.Of(Study(own, rival, none, spread));

    private static ExperimentResult Study(double own, double rival, double none, double spread = 1.1)
    {
        return new ExperimentResult(
            new ThreadScaling(),
            [Cell(RivalNames.NoPool, none), Cell(RivalNames.DefaultPool, rival), Cell(RivalNames.Poolhouse, own)],
            1);

        Measurement Cell(string name, double time) => Samples.Measurement(name, time, 1, "objects-threads") with
        {
            Fastest = time / Math.Sqrt(spread),
            Slowest = time * Math.Sqrt(spread),
        };
    }

    private static ScenarioResult Scenario(double own, double rival)
    {
        return new ScenarioResult(
            new Spike(), [Trial(RivalNames.Poolhouse, own, 0.1), Trial(RivalNames.ChannelPool, rival, 0.15)], 2);

        static Trial Trial(string name, double live, double wait) => new(
            name,
            [],
            [
                new Finding("Live, at most", live, Quantity.Count, Expectation.Less),
                new Finding("Longest wait", wait, Quantity.Seconds, Expectation.Less),
            ]);
    }
}
