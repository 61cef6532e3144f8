using System.Text.Json;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>Poolhouse in this run against Poolhouse in an earlier one, cell by cell.</summary>
/// <param name="Machine">Where and when the earlier run was made.</param>
/// <param name="Changes">The cells that both runs measured, the largest change for the worse first.</param>
/// <param name="Missing">How many cells of this run the earlier one did not measure.</param>
internal sealed record Comparison(Machine Machine, IReadOnlyList<Change> Changes, int Missing)
{
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
                ? document
                : throw new JsonException();
        }
        catch (JsonException exception)
        {
            throw new UsageException(
                $"--compare '{path}' does not contain results of 'poolhouse bench'. Specify {ReportWriter.Json} of a report, " +
                "or its folder.", exception);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new UsageException($"--compare '{path}' cannot be read: {exception.Message}", exception);
        }
    }

    public static Comparison Of(JsonDocumentModel earlier, IReadOnlyList<ExperimentResult> experiments)
    {
        var then = earlier.Experiments.SelectMany(each => each.Measurements).ToLookup(KeyOf);
        var changes = new List<Change>();
        var missing = 0;
        foreach (var experiment in experiments)
        {
            foreach (var cell in Results.Cells(experiment.Measurements)
                .Where(cell => Results.Of(cell, RivalNames.Poolhouse) is not null))
            {
                var now = Results.Of(cell, RivalNames.Poolhouse)!;
                if (then[KeyOf(now)].FirstOrDefault() is { } before)
                {
                    double[] others =
                    [
                        .. cell.Where(rival => rival.Rival != RivalNames.Poolhouse)
                            .SelectMany(rival => then[KeyOf(rival)].Take(1).Select(old => rival.Nanoseconds / old.Nanoseconds)),
                    ];
                    changes.Add(new Change(experiment.Experiment, before, now, others.Length == 0 ? null : Medians.Of(others)));
                }
                else
                {
                    missing++;
                }
            }
        }

        return new Comparison(earlier.Machine, [.. changes.OrderByDescending(change => change.Ratio)], missing);
    }

    /// <summary>The result in a sentence or three.</summary>
    public string Text(Machine now)
    {
        string?[] sentences =
        [
            $"Of {Units.Count(Changes.Count)} cells that both runs measured, Poolhouse is slower in " +
            $"{Units.Count(Changes.Count(change => change.IsSlower))}, "
                +
                $"faster in {Units.Count(Changes.Count(change => change.IsFaster))}, and within noise in " +
                $"{Units.Count(Changes.Count(change => change.IsNoise))}.",
            Missing == 0 ? null : $"Cells that the earlier run did not measure: {Units.Count(Missing)}.",
            Drift,
            now.Cpu == Machine.Cpu && now.Cores == Machine.Cores && now.Runtime == Machine.Runtime
                ? null
                : $"The earlier run was made elsewhere: {Machine.Cpu}, {Units.Count(Machine.Cores)} cores, {Machine.Runtime}.",
        ];
        return string.Join(' ', sentences.OfType<string>());
    }

    // What moves the rivals, whose code is the same, moves Poolhouse too.
    private string? Drift
    {
        get
        {
            double[] others = [.. Changes.Select(change => change.Others).OfType<double>()];
            return others.Length > 0 && Medians.Of(others) is var drift and (> Losses.Margin or < 1 / Losses.Margin)
                ? $"The other rivals take {Units.Ratio(drift)} of their earlier time in the median, so the machine was slower " +
                    "or busier than then."
                : null;
        }
    }

    private static (string Experiment, string Scenario, string Rival, int Threads, string Parameters) KeyOf(Measurement each) =>
        (each.Experiment, each.Scenario, each.Rival, each.Threads, string.Join(' ', each.Parameters));
}
