namespace Poolhouse.Tool.Scenarios;

/// <summary>A figure in which another pool was better.</summary>
internal sealed record ScenarioLoss(Finding Own, string Rival, Finding Best);
