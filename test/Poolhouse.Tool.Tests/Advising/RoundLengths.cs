using Poolhouse.Tool.Advise.Sampling;

namespace Poolhouse.Tool.Tests.Advising;

/// <summary>How long frequent events are counted, so that the process pays for few of them.</summary>
public sealed class RoundLengths
{
    private const int Most = 1000;

    private static readonly TimeSpan _interval = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan _left = TimeSpan.FromSeconds(21);
    private static readonly DateTime _began = new(2026, 11, 29, 12, 0, 0, DateTimeKind.Utc);

    [Fact]
    public void The_first_round_is_short() =>
        Assert.InRange(new Rounds(Most, number: 10).Longest(_interval, _left).TotalSeconds, 0.01, 0.05);

    [Theory]
    [InlineData(2000, 0.01)]
    [InlineData(200, 0.1)]
    [InlineData(20, 1)]
    [InlineData(5, 21)]
    [InlineData(0, 21)]
    public void The_next_round_lasts_until_there_are_enough_events_or_all_the_time(int events, double seconds)
    {
        var rounds = new Rounds(Most, number: 10);
        rounds.Add(RoundOf(events, 0.02), _began, _began.AddSeconds(0.02));
        Assert.Equal(seconds, rounds.Longest(_interval, _left).TotalSeconds, tolerance: seconds / 10);
    }

    [Fact]
    public void A_round_with_few_events_makes_the_next_one_at_most_four_times_as_long()
    {
        var rounds = new Rounds(Most, number: 10);
        rounds.Add(RoundOf(2000, 0.02), _began, _began.AddSeconds(0.02));
        rounds.Add(RoundOf(1, 0.01), _began, _began.AddSeconds(0.01));
        Assert.Equal(0.04, rounds.Longest(_interval, _left).TotalSeconds, tolerance: 0.001);
    }

    [Fact]
    public void Events_before_the_start_was_known_and_after_the_stop_was_asked_for_lengthen_a_round()
    {
        var rounds = new Rounds(Most, number: 10);
        rounds.Add(RoundOf(100, 0.1), _began.AddSeconds(0.02), _began.AddSeconds(0.06));
        Assert.Equal(0.1, rounds.Seen.TotalSeconds, tolerance: 0.002);
    }

    [Theory]
    [InlineData(20, 2)]
    [InlineData(2, 0)]
    public void There_is_no_pause_while_events_are_rare(int events, double seconds)
    {
        var rounds = new Rounds(Most, number: 10);
        rounds.Add(RoundOf(events, 0.02), _began, _began.AddSeconds(0.02));
        Assert.Equal(seconds, rounds.Pause(_interval, TimeSpan.FromSeconds(1)).TotalSeconds);
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 1)]
    [InlineData(2, 4)]
    public void Counts_are_extrapolated_unless_there_was_a_single_event(int events, double factor)
    {
        var rounds = new Rounds(Most, number: 10);
        rounds.Add(RoundOf(events, 0.5), _began, _began.AddSeconds(0.5));
        Assert.Equal(factor, rounds.FactorTo(TimeSpan.FromSeconds(2), events));
    }

    [Fact]
    public void A_round_with_enough_events_ends()
    {
        Assert.False(RoundOf(Most - 1, 1).Full.IsCompleted);
        Assert.True(RoundOf(Most, 1).Full.IsCompleted);
    }

    private static Round RoundOf(int events, double seconds)
    {
        var round = new Round(Most);
        for (var i = 0; i < events; i++)
        {
            round.Add(_began.AddSeconds(i * seconds / events));
        }

        return round;
    }
}
