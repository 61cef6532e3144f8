using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Fleets;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Tests.Fleet;

/// <summary>The figures of <c>bench fleet</c>.</summary>
public sealed class Records
{
    [Fact]
    public void The_worst_time_between_events_counts_without_its_first_seconds()
    {
        var record = RecordOf((0, 9, 1), (3, 5, 5), (6, 9, 0), (9, 4, 2));

        Assert.Equal(36.0 / 40, record.Fairness, 9);
        Assert.Equal(1, record.Shortage, 9);
        Assert.Equal((5, 3), (record.ShareAfter(0), record.ShareAfter(1)));
        Assert.Equal(10, record.Most);
    }

    [Fact]
    public void A_process_that_has_nothing_makes_a_share_unfair() =>
        Assert.Equal(0.5, RecordOf((0, 5, 5), (9, 8, 0)).Fairness, 9);

    [Fact]
    public void A_share_that_is_never_reached_takes_for_ever()
    {
        var record = RecordOf((0, 9, 1), (6, 4, 3));

        Assert.Equal(1, record.Until(5, ["b"], 3), 9);
        Assert.Equal(0, record.Until(5, ["a", "b"], 10), 9);
        Assert.Equal(double.PositiveInfinity, record.Until(5, ["b"], 4));
    }

    [Theory]
    [InlineData("", 0, Outcome.Holds)]
    [InlineData("Sessions, at most", 41, Outcome.FallsShort)]
    [InlineData("Callers that were refused", 1, Outcome.FallsShort)]
    [InlineData("Failed without the list", 1, Outcome.FallsShort)]
    [InlineData("Fairness, at least", 0.94, Outcome.FallsShort)]
    [InlineData("Below the mean, at most", 1.2, Outcome.FallsShort)]
    [InlineData("Opens that the server refused", 4, Outcome.FallsShort)]
    [InlineData("Newcomer served after", double.PositiveInfinity, Outcome.FallsShort)]
    [InlineData("Newcomer's share after", 3.1, Outcome.FallsShort)]
    [InlineData("Killed one's sessions used after", 1.6, Outcome.FallsShort)]
    public void Every_bar_must_hold(string figure, double value, object outcome)
    {
        (string Name, double Value)[] figures =
        [
            ("Sessions, at most", 40), ("Callers that were refused", 0), ("Failed without the list", 0),
            ("Fairness, at least", 0.96), ("Below the mean, at most", 0.9), ("Opened", 300),
            ("Opens that the server refused", 3), ("Refused a second", 0.1), ("Newcomer served after", 0.9),
            ("Newcomer's share after", 2.9), ("Killed one's sessions used after", 1.4),
        ];
        Trial[] trials = [TrialOf(RivalNames.Poolhouse, figure, value), TrialOf(RivalNames.ProviderPool, "", 0)];

        Assert.Equal((Outcome)outcome, new FleetFaults().Judge(trials, planned: 2).Outcome);

        Trial TrialOf(string rival, string changed, double to) => new(
            rival, [],
            [
                .. figures.Select(each => new Finding(
                    each.Name, each.Name == changed ? to : each.Value, Quantity.Count, Expectation.None)),
            ]);
    }

    /// <summary>Two processes, which hold the given numbers from the given seconds on; events at 0 s and 6 s.</summary>
    private static FleetRecord RecordOf(params (double From, int A, int B)[] steps) => new(
        [
            .. Enumerable.Range(0, 100).Select(tenth => steps.Last(step => step.From * 10 <= tenth) is var (_, a, b)
                ? new FleetSample(
                    tenth / 10.0, a + b, new Dictionary<string, int>(StringComparer.Ordinal) { ["a"] = a, ["b"] = b })
                : null!),
        ],
        [new FleetEvent(0, "all started", ["a", "b"]), new FleetEvent(6, "another", ["a", "b"])],
        End: 10)
    {
        Settling = 3,
    };
}
