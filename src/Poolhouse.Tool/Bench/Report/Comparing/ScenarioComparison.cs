using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Report.Comparing;

/// <summary>Compares the figures of scenarios with those of an earlier run.</summary>
internal sealed class ScenarioComparison(IReadOnlyList<JsonScenario> earlier)
{
    public List<FigureChange> Changes { get; } = [];

    public List<LossChange> Losses { get; } = [];

    public int Missing { get; private set; }

    public void Add(ScenarioResult result)
    {
        var before = earlier.FirstOrDefault(each => each.Id == result.Scenario.Id)?.Trials ?? [];
        foreach (var now in OwnFindings(result.Trials))
        {
            if (FindingOf(before, RivalNames.Poolhouse, now.Name) is { } then && then.Quantity == now.Quantity)
            {
                Changes.Add(new FigureChange(result.Scenario, then, now, [.. Movements(before, result.Trials, now.Name)]));
            }
            else
            {
                Missing++;
            }
        }

        var (losses, lossesBefore) = (LossesOf(result.Trials), LossesOf(before));
        var newLosses = losses.ExceptBy(lossesBefore.Select(Name), Name);
        Losses.AddRange(newLosses.Select(loss => LossOf(result, before, loss, isNew: true)).OfType<LossChange>());
        var oldLosses = lossesBefore.ExceptBy(losses.Select(Name), Name);
        Losses.AddRange(oldLosses.Select(loss => LossOf(result, before, loss, isNew: false)).OfType<LossChange>());
    }

    // Not a change if the figures of neither pool moved by more than noise: then the two were, and are, about the same.
    private static LossChange? LossOf(ScenarioResult result, IReadOnlyList<Trial> before, ScenarioLoss loss, bool isNew)
    {
        var name = loss.Own.Name;
        return FindingOf(before, RivalNames.Poolhouse, name) is { } ownThen
            && FindingOf(result.Trials, RivalNames.Poolhouse, name) is { } ownNow
            && FindingOf(before, loss.Rival, name) is { } rivalThen
            && FindingOf(result.Trials, loss.Rival, name) is { } rivalNow
            && (ownNow.DiffersFrom(ownThen) || rivalNow.DiffersFrom(rivalThen))
            ? new LossChange(
                $"{result.Scenario.Title}: {name}",
                loss.Rival,
                $"{ownThen.Text} ({rivalThen.Text})",
                $"{ownNow.Text} ({rivalNow.Text})",
                isNew)
            : null;
    }

    private static IEnumerable<Movement> Movements(IReadOnlyList<Trial> before, IReadOnlyList<Trial> trials, string name) =>
        from trial in trials
        where !RivalNames.IsOwn(trial.Rival)
        let now = trial.FindingOf(name)
        let then = FindingOf(before, trial.Rival, name)
        where now is not null && then is not null
        select new Movement(then.Value, now.Value);

    // The figures of Entity Framework Core have the same names.
    private static List<ScenarioLoss> LossesOf(IReadOnlyList<Trial> trials) =>
        [.. TrialStudy.Losses(trials).Where(loss => loss.Pool == RivalNames.Poolhouse)];

    private static string Name(ScenarioLoss loss) => loss.Own.Name;

    private static IReadOnlyList<Finding> OwnFindings(IReadOnlyList<Trial> trials) =>
        trials.FirstOrDefault(trial => trial.Rival == RivalNames.Poolhouse)?.Findings ?? [];

    private static Finding? FindingOf(IReadOnlyList<Trial> trials, string rival, string name) =>
        trials.FirstOrDefault(trial => trial.Rival == rival)?.FindingOf(name);
}
