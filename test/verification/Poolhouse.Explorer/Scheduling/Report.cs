namespace Poolhouse.Explorer.Scheduling;

/// <summary>What an exploration did.</summary>
/// <param name="Schedules">How many schedules ran.</param>
/// <param name="MostSteps">The steps of the longest.</param>
/// <param name="Failure">The first failure; or null, and then the strategy had nothing left to try.</param>
internal sealed record Report(long Schedules, int MostSteps, ScheduleFailedException? Failure);
