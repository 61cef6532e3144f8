using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>A scenario in the JSON file.</summary>
internal sealed record JsonScenario(
    string Id, string Title, string Method, string Outcome, string Verdict, bool IsComplete, IReadOnlyList<Trial> Trials);
