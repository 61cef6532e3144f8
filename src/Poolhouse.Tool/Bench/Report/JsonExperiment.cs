using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>An experiment in the JSON file.</summary>
internal sealed record JsonExperiment(
    string Id,
    string Title,
    string Method,
    string Outcome,
    string Verdict,
    bool IsComplete,
    IReadOnlyList<string> ParameterNames,
    IReadOnlyList<Measurement> Measurements);
