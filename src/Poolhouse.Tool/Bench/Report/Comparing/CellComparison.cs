using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Report.Comparing;

/// <summary>Compares the cells of experiments with those of an earlier run.</summary>
internal sealed class CellComparison(IReadOnlyList<JsonExperiment> earlier)
{
    private readonly ILookup<Key, Measurement> _then = earlier.SelectMany(each => each.Measurements).ToLookup(KeyOf);

    public List<CellChange> Changes { get; } = [];

    public List<LossChange> Losses { get; } = [];

    public int Missing { get; private set; }

    public void Add(ExperimentResult result)
    {
        foreach (var cell in Results.Cells(result.Measurements))
        {
            if (Results.Of(cell, RivalNames.Poolhouse) is not { } now)
            {
                continue;
            }

            if (_then[KeyOf(now)].FirstOrDefault() is { } then)
            {
                Add(new CellChange(result.Experiment, then, now, [.. Both(cell.Where(each => !RivalNames.IsOwn(each.Rival)))]));
            }
            else
            {
                Missing++;
            }
        }
    }

    private void Add(CellChange change)
    {
        Changes.Add(change);
        var then = LossIn(change.Then, change.Rivals.Select(rival => rival.Then));
        var now = LossIn(change.Now, change.Rivals.Select(rival => rival.Now));
        if ((then ?? now) is not { } loss || (then is null) == (now is null))
        {
            return;
        }

        var rival = change.Rivals.First(each => each.Now.Rival == loss.Best.Rival);
        if (!RangesOverlap(RangeOf(change.Then, rival.Then), RangeOf(change.Now, rival.Now)))
        {
            Losses.Add(new LossChange(
                $"{change.Experiment.Title}: {change.Experiment.Describe(change.Now)}",
                loss.Best.Rival,
                Units.Ratio(change.Then.Nanoseconds / rival.Then.Nanoseconds),
                Units.Ratio(change.Now.Nanoseconds / rival.Now.Nanoseconds),
                IsNew: then is null));
        }
    }

    private IEnumerable<(Measurement Then, Measurement Now)> Both(IEnumerable<Measurement> rivals) =>
        from now in rivals
        from then in _then[KeyOf(now)].Take(1)
        select (then, now);

    private static Loss? LossIn(Measurement own, IEnumerable<Measurement> rivals) =>
        Bench.Losses.ToPools([own, .. rivals]) is [var loss] ? loss : null;

    // Own time over the rival's, as far as the rounds of both allow.
    private static (double From, double To) RangeOf(Measurement own, Measurement rival) =>
        (own.Fastest / rival.Slowest, own.Slowest / rival.Fastest);

    private static bool RangesOverlap((double From, double To) a, (double From, double To) b) => a.From <= b.To && b.From <= a.To;

    private static Key KeyOf(Measurement each) =>
        new(each.Experiment, each.Scenario, each.Rival, each.Threads, string.Join(' ', each.Parameters));

    private readonly record struct Key(string Experiment, string Scenario, string Rival, int Threads, string Parameters);
}
