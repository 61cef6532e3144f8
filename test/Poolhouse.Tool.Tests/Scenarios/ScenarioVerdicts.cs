using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Tests.Scenarios;

public sealed class ScenarioVerdicts
{
    [Fact]
    public void A_scenario_that_was_not_finished_is_not_judged() => Assert.All(
        Catalog.All.OfType<Scenario>(),
        scenario => Assert.Equal(Outcome.Unknown, scenario.Judge([Trial(RivalNames.Poolhouse)], planned: 3).Outcome));

    [Theory]
    [InlineData(6, 0.03, Outcome.Holds)]
    [InlineData(7, 0.03, Outcome.FallsShort)]
    [InlineData(6, 0.2, Outcome.FallsShort)]
    [InlineData(double.NaN, 0.03, Outcome.FallsShort)]
    public void A_spike_may_leave_six_sessions_and_no_wait_longer_than_a_creation(
        double live, double wait, object outcome)
    {
        Trial[] trials = [OfSpike(RivalNames.Poolhouse, live, wait), OfSpike(RivalNames.ChannelPool, 50, 0.15)];

        Assert.Equal((Outcome)outcome, new Spike().Judge(trials, planned: 2).Outcome);
    }

    [Fact]
    public void Every_result_in_which_a_rival_is_clearly_better_is_a_loss()
    {
        Trial[] trials =
        [
            Trial(RivalNames.Poolhouse, Less("a", 10), More("b", 10), Less("c", 10), Neither("d", 10)),
            Trial(RivalNames.ChannelPool, Less("a", 5), More("b", 10.5), Less("c", 20), Neither("d", 1)),
            Trial(RivalNames.HomeMadePool, Less("a", 2), More("b", 20), Less("c", 9.5)),
            Trial(RivalNames.PoolhouseWithoutJitter, Less("c", 1)),
        ];

        var losses = Scenario.Losses(trials);

        Assert.Equal(["a", "b"], losses.Select(loss => loss.Own.Name));
        Assert.All(losses, loss => Assert.Equal(RivalNames.HomeMadePool, loss.Rival));
        Assert.Equal([2, 20], losses.Select(loss => loss.Best.Value));
    }

    [Fact]
    public void With_Entity_Framework_Core_the_pools_below_it_are_compared()
    {
        Trial[] trials =
        [
            Trial(RivalNames.Poolhouse, Less("a", 10)),
            Trial(RivalNames.ProviderPool, Less("a", 20)),
            Trial(RivalNames.EfPoolhouse, Less("a", 40)),
            Trial(RivalNames.EfProviderPool, Less("a", 30)),
        ];

        var loss = Assert.Single(Scenario.Losses(trials));

        Assert.Equal(
            new ScenarioLoss(RivalNames.EfPoolhouse, Less("a", 40), RivalNames.EfProviderPool, Less("a", 30)), loss);
        var result = new BenchResult(
            Samples.Machine(), [new ScenarioResult(new Spike(), trials, 5)], TimeSpan.FromSeconds(1), WasStopped: false);
        Assert.Equal(
            "In the scenarios another pool was clearly better in 1 of 2 figures.", LossSummary.Of(result).Text);
    }

    [Fact]
    public void A_missing_result_loses_to_an_existing_one_and_not_to_another_missing_one()
    {
        var never = new Finding("served after", double.PositiveInfinity, Quantity.Seconds, Expectation.Less);

        Assert.True(never.IsBeatenBy(never with { Value = 3 }));
        Assert.False(never.IsBeatenBy(never));
        Assert.Equal("never", never.Text);
    }

    [Fact]
    public void A_difference_below_timer_resolution_is_no_loss()
    {
        var wait = new Finding("wait", 0.004, Quantity.Seconds, Expectation.Less);

        Assert.False(wait.IsBeatenBy(wait with { Value = 0.002 }));
        Assert.True(wait.IsBeatenBy(wait with { Value = 0.0005 }));
    }

    [Fact]
    public void Losses_in_scenarios_are_reported_even_when_nothing_else_was_measured()
    {
        Trial[] trials = [OfSpike(RivalNames.Poolhouse, 60, 0.1), OfSpike(RivalNames.ChannelPool, 50, 0.15)];
        var result = new BenchResult(
            Samples.Machine(), [new ScenarioResult(new Spike(), trials, 2)], TimeSpan.FromSeconds(1), WasStopped: false);

        var losses = LossSummary.Of(result);

        Assert.Equal("In the scenarios another pool was clearly better in 1 of 2 figures.", losses.Text);
        Assert.Equal("Live, at most", Assert.Single(losses.Figures).Loss.Own.Name);
        Assert.Contains("class=\"badge no\">broken<", HtmlReport.Write(result), StringComparison.Ordinal);
    }

    [Fact]
    public void Tables_have_a_row_for_each_result_and_a_column_for_each_pool()
    {
        var table = Assert.Single(new Spike().Tabulate([Trial("a", Less("x", 1)), Trial("b", Less("x", 2), Less("y", 3))]));

        Assert.Equal(["", "a", "b"], table.Columns);
        Assert.Equal([["x", "1", "2"], ["y", "", "3"]], table.Rows);
    }

    private static Trial OfSpike(string rival, double live, double wait) => Trial(
        rival, Less("Live, at most", live), new Finding("Longest wait", wait, Quantity.Seconds, Expectation.Less));

    private static Finding Less(string name, double value) => new(name, value, Quantity.Count, Expectation.Less);

    private static Finding More(string name, double value) => new(name, value, Quantity.Count, Expectation.More);

    private static Finding Neither(string name, double value) => new(name, value, Quantity.Count, Expectation.None);

    private static Trial Trial(string rival, params Finding[] findings) => new(rival, [], findings);
}
