namespace Poolhouse.Tool.Bench.Report;

/// <summary>The root of the JSON file.</summary>
internal sealed record JsonDocumentModel(
    Machine Machine,
    double ElapsedSeconds,
    bool WasStopped,
    IReadOnlyList<JsonExperiment> Experiments,
    IReadOnlyList<JsonScenario> Scenarios);
