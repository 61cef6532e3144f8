namespace Poolhouse.Tool.Bench.Resources;

/// <summary>A figure in which another pool was better.</summary>
/// <param name="Pool">The trial that lost: Poolhouse, or Entity Framework Core on it.</param>
/// <param name="Own">Its figure.</param>
/// <param name="Rival">The best rival.</param>
/// <param name="Best">The figure of that rival.</param>
internal sealed record ScenarioLoss(string Pool, Finding Own, string Rival, Finding Best);
