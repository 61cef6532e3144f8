using System.Globalization;
using System.Text;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>The figures of a study as comma-separated values: a line for each measurement, or for each figure and
/// each point of a curve.</summary>
internal static class CsvReport
{
    private static readonly string[] _figures =
    [
        "nanoseconds", "fastest", "slowest", "bytes_per_operation", "rounds", "operations_per_round", "input_bytes",
        "gen0", "gen1", "gen2", "pause_milliseconds",
    ];

    public static string Write(ExperimentResult result)
    {
        var text = new StringBuilder();
        var parameters = result.Experiment.ParameterNames.Select(name => name.Replace(' ', '_'));
        var countsThreads = result.Measurements.Any(measurement => measurement.ItemThreads is not null);
        AppendLine(
            text, ["scenario", "rival", "threads", .. parameters, .. _figures, .. countsThreads
                ? ["item_threads"]
                : Array.Empty<string>()]);
        foreach (var measurement in result.Measurements)
        {
            AppendLine(
                text,
                [.. Fields(measurement), .. measurement.ItemThreads is { } threads ? [Text(threads)] : Array.Empty<string>()]);
        }

        return text.ToString();
    }

    public static string Write(ScenarioResult result)
    {
        var text = new StringBuilder();
        AppendLine(text, ["rival", "kind", "name", "x", "value"]);
        foreach (var trial in result.Trials)
        {
            foreach (var finding in trial.Findings)
            {
                AppendLine(text, [trial.Rival, "figure", finding.Name, "", Text(finding.Value)]);
            }

            foreach (var (curve, point) in trial.Curves.SelectMany(curve => curve.Points.Select(point => (curve, point))))
            {
                AppendLine(text, [trial.Rival, "curve", curve.Name, Text(point.X), Text(point.Y)]);
            }
        }

        return text.ToString();
    }

    internal static string Quote(string field) => field.AsSpan().IndexOfAny(",\"\n") < 0
        ? field
        : $"\"{field.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    private static IEnumerable<string> Fields(Measurement measurement) =>
    [
        measurement.Scenario,
        measurement.Rival,
        Text(measurement.Threads),
        .. measurement.Parameters.Select(value => Text(value)),
        Text(measurement.Nanoseconds),
        Text(measurement.Fastest),
        Text(measurement.Slowest),
        Text(measurement.BytesPerOperation),
        Text(measurement.Rounds),
        Text(measurement.OperationsPerRound),
        Text(measurement.InputBytes),
        Text(measurement.Gen0),
        Text(measurement.Gen1),
        Text(measurement.Gen2),
        Text(measurement.PauseMilliseconds),
    ];

    private static string Text(double value) => value.ToString(CultureInfo.InvariantCulture);

    private static void AppendLine(StringBuilder text, IEnumerable<string> fields) =>
        text.AppendJoin(',', fields.Select(Quote)).Append('\n');
}
