namespace Poolhouse.Explorer.Scheduling;

/// <summary>The result of an exploration.</summary>
/// <param name="Schedules">How many schedules ran.</param>
/// <param name="MostSteps">The number of steps of the longest.</param>
/// <param name="Failure">The first failure; null if the strategy tried all of its schedules without one.</param>
internal sealed record Report(long Schedules, int MostSteps, ScheduleFailedException? Failure);
