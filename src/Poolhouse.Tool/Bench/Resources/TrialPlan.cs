namespace Poolhouse.Tool.Bench.Resources;

/// <summary>A trial to be made.</summary>
internal sealed record TrialPlan(string Rival, Func<CancellationToken, Task<Trial>> RunAsync);
