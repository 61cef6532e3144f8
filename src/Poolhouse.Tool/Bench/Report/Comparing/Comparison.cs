using System.Text.Json;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Report.Comparing;

/// <summary>Poolhouse in this run against Poolhouse in an earlier one.</summary>
/// <param name="Machine">Where and when the earlier run was made.</param>
internal sealed record Comparison(Machine Machine)
{
    /// <summary>In what else the runs differ, in sentences.</summary>
    public required IReadOnlyList<string> Differences { get; init; }

    /// <summary>The verdicts that are others.</summary>
    public required IReadOnlyList<VerdictChange> Verdicts { get; init; }

    /// <summary>The cells that both runs measured, the largest change for the worse first.</summary>
    public required IReadOnlyList<CellChange> Cells { get; init; }

    /// <summary>The figures of scenarios that both runs have.</summary>
    public required IReadOnlyList<FigureChange> Figures { get; init; }

    /// <summary>Losses that only one of the runs has.</summary>
    public required IReadOnlyList<LossChange> Losses { get; init; }

    /// <summary>How many cells and figures of this run the earlier one does not have.</summary>
    public required int Missing { get; init; }

    /// <summary>Studies that only one of the runs has.</summary>
    public required IReadOnlyList<string> OnlyThen { get; init; }

    public required IReadOnlyList<string> OnlyNow { get; init; }

    /// <summary>The cells in which Poolhouse allocates another number of bytes.</summary>
    public IReadOnlyList<CellChange> Bytes => [.. Cells.Where(cell => cell.HasOtherBytes)];

    /// <summary>The figures that changed by more than noise.</summary>
    public IReadOnlyList<FigureChange> ClearFigures => [.. Figures.Where(figure => !figure.IsNoise)];

    /// <summary>Reads the results of an earlier run.</summary>
    /// <param name="path">The file that <c>--json</c> wrote, or the folder of a report.</param>
    /// <exception cref="UsageException">There are none.</exception>
    public static JsonDocumentModel Read(string path)
    {
        var file = Directory.Exists(path) ? Path.Combine(path, ReportWriter.Json) : path;
        try
        {
            return JsonReport.Read(File.ReadAllText(file)) is { Machine: not null, Experiments: { } experiments } document
                && experiments.All(each => each is { Id: not null, Measurements: not null })
                && document.Scenarios?.All(each => each is { Id: not null, Trials: not null }) == true
                ? document
                : throw new JsonException();
        }
        catch (JsonException exception)
        {
            throw new UsageException(
                $"--compare '{path}' does not contain results of 'poolhouse bench'. Name the "
                + $"{ReportWriter.Json} of a report, or its folder.", exception);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new UsageException($"--compare '{path}' cannot be read: {exception.Message}", exception);
        }
    }

    public static Comparison Of(JsonDocumentModel earlier, BenchResult result)
    {
        var cells = new CellComparison(earlier.Experiments);
        var scenarios = new ScenarioComparison(earlier.Scenarios);
        foreach (var experiment in result.Experiments)
        {
            cells.Add(experiment);
        }

        foreach (var scenario in result.Scenarios.Where(_ => RunDifferences.ScenariosAreAlike(earlier.Machine, result.Machine)))
        {
            scenarios.Add(scenario);
        }

        var then = new Dictionary<string, (string Outcome, string Text)>(StringComparer.Ordinal);
        foreach (var (id, outcome, text) in earlier.Experiments.Select(each => (each.Id, each.Outcome, each.Verdict))
            .Concat(earlier.Scenarios.Select(each => (each.Id, each.Outcome, each.Verdict))))
        {
            then[id] = (outcome, text);
        }

        var measured = result.Studies.Where(study => !study.IsEmpty).ToList();
        return new Comparison(earlier.Machine)
        {
            Differences =
            [
                .. RunDifferences.Of(earlier.Machine, result.Machine),
                .. Noise.Warnings(
                    ("the earlier run", earlier.Experiments.SelectMany(each => each.Measurements)),
                    ("this run", result.Experiments.SelectMany(each => each.Measurements))),
            ],
            Verdicts = [.. measured.Select(VerdictOf).OfType<VerdictChange>()],
            Cells = [.. cells.Changes.OrderByDescending(change => change.Ratio)],
            Figures = scenarios.Changes,
            Losses = [.. cells.Losses, .. scenarios.Losses],
            Missing = cells.Missing + scenarios.Missing,
            OnlyThen = [.. then.Keys.Except(measured.Select(study => study.Study.Id))],
            OnlyNow = [.. measured.Select(study => study.Study.Id).Except(then.Keys)],
        };

        VerdictChange? VerdictOf(StudyResult study)
        {
            if (!then.TryGetValue(study.Study.Id, out var before)
                || !Enum.TryParse<Outcome>(before.Outcome, out var outcome) || outcome == study.Verdict.Outcome)
            {
                return null;
            }

            var isExplained = cells.Changes.Exists(change => change.Experiment == study.Study && !change.IsNoise)
                || scenarios.Changes.Exists(change => change.Study == study.Study && !change.IsNoise);
            return new VerdictChange(study.Study, new Verdict(outcome, before.Text), study.Verdict, isExplained);
        }
    }

    /// <summary>The result in a few sentences; <see cref="Differences"/> go before them.</summary>
    public string Text()
    {
        string?[] sentences =
        [
            Cells.Count == 0 ? null : $"Of {Units.Count(Cells.Count)} cells that both runs measured, Poolhouse is slower in " +
                $"{Units.Count(Cells.Count(change => change.IsSlower))}, faster in "
                + $"{Units.Count(Cells.Count(change => change.IsFaster))}, and within noise in "
                + $"{Units.Count(Cells.Count(change => change.IsNoise))}; it allocates more or less in "
                + $"{Units.Count(Bytes.Count)}.",
            Figures.Count == 0 ? null : $"Of {Units.Count(Figures.Count)} figures of scenarios, "
                + $"{Units.Count(ClearFigures.Count)} changed by more than noise.",
            $"Verdicts that changed: {Units.Count(Verdicts.Count)}. Losses: {Units.Count(Losses.Count(loss => loss.IsNew))} new, "
                + $"{Units.Count(Losses.Count(loss => !loss.IsNew))} gone.",
            Missing == 0 ? null : $"Cells and figures that the earlier run does not have: {Units.Count(Missing)}.",
            OnlyThen.Count == 0 ? null : $"Only in the earlier run: {string.Join(", ", OnlyThen)}.",
            OnlyNow.Count == 0 ? null : $"Only in this run: {string.Join(", ", OnlyNow)}.",
            Drift,
        ];
        return string.Join(' ', sentences.OfType<string>());
    }

    // What affects the rivals, whose code is the same, affects Poolhouse too.
    private string? Drift
    {
        get
        {
            double[] others = [.. Cells.Select(change => change.Others).OfType<double>()];
            return others.Length > 0 && Medians.Of(others) is var drift
                and (> Bench.Losses.Margin or < 1 / Bench.Losses.Margin)
                ? $"The other rivals take {Units.Ratio(drift)} of their earlier time in the median, so the machine was not as " +
                    "fast or as quiet as then."
                : null;
        }
    }
}
