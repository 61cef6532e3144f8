using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Tests.Scenarios;

public sealed class Journals
{
    private readonly StepClock _clock = new();
    private readonly Journal _journal;

    public Journals() => _journal = new Journal(_clock);

    [Fact]
    public void A_level_includes_its_initial_value_and_its_peak_does_not()
    {
        Note(TrialEvent.OpenBegun, TrialEvent.OpenBegun, TrialEvent.OpenBegun, TrialEvent.Closed);
        _clock.Advance(5.0);
        _journal.SetZero();
        _clock.Advance(1.0);
        Note(TrialEvent.OpenFailed);

        Assert.Equal(2, _journal.LevelAt(0, Journal.Live));
        Assert.Equal(2, _journal.Peak(Journal.Live));
        Assert.Equal(1, _journal.LastLevel(Journal.Live));
        Assert.Equal(0, _journal.Count(TrialEvent.OpenBegun));
    }

    [Fact]
    public void A_level_curve_shows_a_peak_within_one_step()
    {
        _clock.Advance(1.5);
        Note(TrialEvent.Came, TrialEvent.Came, TrialEvent.Served, TrialEvent.Refused);
        _clock.Advance(1.0);
        Note(TrialEvent.Came);

        Assert.Equal(
            [new(0, 0), new(1, 0), new(2, 2), new(3, 1)],
            _journal.Levels(Journal.Waiting, end: 3, steps: 3));
    }

    [Fact]
    public void Rates_are_per_second_and_placed_in_the_middle_of_their_steps()
    {
        _clock.Advance(0.1);
        Note(TrialEvent.Served, TrialEvent.Served);
        _clock.Advance(0.8);
        Note(TrialEvent.Served);

        Assert.Equal([new(0.25, 4), new(0.75, 2)], _journal.Rates(TrialEvent.Served, end: 1, steps: 2));
        Assert.Equal([new(0, 0), new(0.5, 2), new(1, 3)], _journal.Totals(TrialEvent.Served, end: 1, steps: 2));
    }

    [Fact]
    public void A_burst_is_found_at_any_offset()
    {
        foreach (var pause in new[] { 0.09, 0.02, 0.02, 0.5, 0.02 })
        {
            _clock.Advance(pause);
            Note(TrialEvent.OpenBegun);
        }

        Assert.Equal(3, _journal.LargestBurst(TrialEvent.OpenBegun, 0.05));
        Assert.Equal(1, _journal.LargestBurst(TrialEvent.OpenBegun, 0.001));
        Assert.Equal(0, _journal.LargestBurst(TrialEvent.Closed, 1));
    }

    [Fact]
    public void The_largest_value_within_a_time_is_found()
    {
        _journal.Note(TrialEvent.Served, 7);
        _clock.Advance(1.0);
        _journal.Note(TrialEvent.Served, 3);

        Assert.Equal(7, _journal.Largest(TrialEvent.Served));
        Assert.Equal(3, _journal.Largest(TrialEvent.Served, from: 0.5));
        Assert.Equal(0, _journal.Largest(TrialEvent.Served, from: 2));
    }

    private void Note(params TrialEvent[] happenings) => Array.ForEach(happenings, happening => _journal.Note(happening));
}
