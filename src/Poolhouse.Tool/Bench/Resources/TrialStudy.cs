namespace Poolhouse.Tool.Bench.Resources;

/// <summary>A question that trials answer: curves and figures of one pool each.</summary>
internal abstract class TrialStudy : Study
{
    protected abstract IReadOnlyList<Plot> Plots { get; }

    /// <summary>What Poolhouse promises, to follow "Promised:"; empty if nothing.</summary>
    public virtual string Promise => "";

    /// <summary>The name of the figure that the promise is about; null if there is none.</summary>
    public virtual string? Figure => null;

    /// <summary>The answer. Not called before all trials have ended.</summary>
    protected abstract Verdict JudgeAll(IReadOnlyList<Trial> trials);

    public Verdict Judge(IReadOnlyList<Trial> trials, int planned) => trials.Count == planned && planned > 0
        ? JudgeAll(trials)
        : Verdict.Incomplete();

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

    /// <summary>
    /// The figures in which another pool was better. With Entity Framework Core, the pools below it are compared.
    /// </summary>
    public static IReadOnlyList<ScenarioLoss> Losses(IReadOnlyList<Trial> trials) =>
    [
        .. LossesOf(RivalNames.Poolhouse, trials, IsOtherPool),
        .. LossesOf(RivalNames.EfPoolhouse, trials, static rival => rival == RivalNames.EfProviderPool),
    ];

    /// <summary>A figure of a pool; not a number if it is not there, which compares as false with anything.</summary>
    protected static double Of(IReadOnlyList<Trial> trials, string rival, string finding) =>
        trials.FirstOrDefault(trial => trial.Rival == rival)?.FindingOf(finding)?.Value ?? double.NaN;

    protected static Verdict VerdictOf(bool holds, string text) => new(holds ? Outcome.Holds : Outcome.FallsShort, text);

    /// <summary>Whether the rival is another pool, or what programs do without one.</summary>
    public static bool IsOtherPool(string name) => name is
        RivalNames.ChannelPool or RivalNames.HomeMadePool or RivalNames.ProviderPool or RivalNames.ToolkitWriter
        or RivalNames.Recyclable or RivalNames.OneClient or RivalNames.NewClient or RivalNames.NoLimit
        or RivalNames.ConnectionLimit or RivalNames.BlindLifetime or RivalNames.ThreadPool or RivalNames.NewConnection
        or RivalNames.HeldConnections;

    private static IEnumerable<ScenarioLoss> LossesOf(
        string name, IReadOnlyList<Trial> trials, Func<string, bool> isRival)
    {
        var rivals = trials.Where(trial => isRival(trial.Rival)).ToList();
        return trials.FirstOrDefault(trial => trial.Rival == name) is { } own
            ? own.Findings.Select(finding => Compare(name, finding, rivals)).OfType<ScenarioLoss>()
            : [];
    }

    private static ScenarioLoss? Compare(string pool, Finding own, List<Trial> rivals)
    {
        var better = rivals
            .Select(trial => (trial.Rival, Finding: trial.FindingOf(own.Name)))
            .Where(each => each.Finding is { } finding && own.IsBeatenBy(finding))
            .OrderBy(each => own.Wish == Expectation.More ? -each.Finding!.Value : each.Finding!.Value)
            .ToList();
        return better.Count == 0 ? null : new ScenarioLoss(pool, own, better[0].Rival, better[0].Finding!);
    }
}
