namespace Poolhouse.Tool.Bench.Resources;

/// <summary>A figure in which another pool was better.</summary>
internal sealed record ScenarioLoss(Finding Own, string Rival, Finding Best);
