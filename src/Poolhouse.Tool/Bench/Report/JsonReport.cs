using System.Text.Json;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>The whole run as JSON.</summary>
internal static class JsonReport
{
    public static string Write(BenchResult result) =>
        JsonSerializer.Serialize(ToDocument(result), JsonContext.Default.JsonDocumentModel) + "\n";

    public static JsonDocumentModel? Read(string json) => JsonSerializer.Deserialize(json, JsonContext.Default.JsonDocumentModel);

    private static JsonDocumentModel ToDocument(BenchResult result) => new(
        result.Machine,
        result.Elapsed.TotalSeconds,
        result.WasStopped,
        [
            .. result.Experiments.Select(each => new JsonExperiment(
                each.Experiment.Id,
                each.Experiment.Title,
                each.Experiment.Method,
                each.Verdict.Outcome.ToString(),
                each.Verdict.Text,
                each.IsComplete,
                each.Experiment.ParameterNames,
                each.Measurements)),
        ],
        [
            .. result.Scenarios.Select(each => new JsonScenario(
                each.Scenario.Id,
                each.Scenario.Title,
                each.Scenario.Method,
                each.Verdict.Outcome.ToString(),
                each.Verdict.Text,
                each.IsComplete,
                each.Trials)),
        ]);
}
