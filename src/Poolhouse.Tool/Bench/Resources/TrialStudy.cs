namespace Poolhouse.Tool.Bench.Resources;

/// <summary>A question that trials answer: curves and figures of one pool each.</summary>
internal abstract class TrialStudy : Study
{
    protected abstract IReadOnlyList<Plot> Plots { get; }

    /// <summary>The answer. Not called before all trials have ended.</summary>
    protected abstract Verdict JudgeAll(IReadOnlyList<Trial> trials);

    public Verdict Judge(IReadOnlyList<Trial> trials, int planned) => trials.Count == planned && planned > 0
        ? JudgeAll(trials)
        : new Verdict(Outcome.Unknown, "Not measured to the end.");

    public virtual IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Trial> trials)
    {
        var charts = Plots.Select(plot => plot.Draw($"{Id}-{plot.Curve.Replace(' ', '-')}", trials));
        return [new("", [.. charts.OfType<Poolhouse.Tool.Bench.Charts.LineChart>()])];
    }

    /// <summary>A row for each figure, a column for each pool.</summary>
    public virtual IReadOnlyList<Table> Tabulate(IReadOnlyList<Trial> trials)
    {
        var names = trials.SelectMany(trial => trial.Findings).Select(finding => finding.Name).Distinct();
        return
        [
            new Table(
                "",
                ["", .. trials.Select(trial => trial.Rival)],
                [.. names.Select(name => (IReadOnlyList<string>)
                    [name, .. trials.Select(trial => trial.FindingOf(name)?.Text ?? "")])]),
        ];
    }

    /// <summary>The figures in which another pool was better.</summary>
    public static IReadOnlyList<ScenarioLoss> Losses(IReadOnlyList<Trial> trials)
    {
        var own = trials.FirstOrDefault(trial => trial.Rival == RivalNames.Poolhouse);
        return own is null ? [] : [.. own.Findings.Select(finding => Compare(finding, trials)).OfType<ScenarioLoss>()];
    }

    /// <summary>A figure of a pool; not a number if it is not there, which compares as false with anything.</summary>
    protected static double Of(IReadOnlyList<Trial> trials, string rival, string finding) =>
        trials.FirstOrDefault(trial => trial.Rival == rival)?.FindingOf(finding)?.Value ?? double.NaN;

    protected static Verdict VerdictOf(bool holds, string text) => new(holds ? Outcome.Holds : Outcome.FallsShort, text);

    private static ScenarioLoss? Compare(Finding own, IReadOnlyList<Trial> trials)
    {
        var better = trials.Where(trial => trial.Rival is
                RivalNames.ChannelPool or RivalNames.HomeMadePool or RivalNames.ProviderPool or RivalNames.ToolkitWriter
                    or RivalNames.Recyclable
                or RivalNames.OneClient or RivalNames.NewClient or RivalNames.NoLimit or RivalNames.ConnectionLimit
                or RivalNames.BlindLifetime
                or RivalNames.ThreadPool or RivalNames.NewConnection or RivalNames.HeldConnections)
            .Select(trial => (trial.Rival, Finding: trial.FindingOf(own.Name)))
            .Where(each => each.Finding is { } finding && own.IsBeatenBy(finding))
            .OrderBy(each => own.Wish == Expectation.More ? -each.Finding!.Value : each.Finding!.Value)
            .ToList();
        return better.Count == 0 ? null : new ScenarioLoss(own, better[0].Rival, better[0].Finding!);
    }
}
