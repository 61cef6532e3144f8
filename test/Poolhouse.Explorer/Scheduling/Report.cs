namespace Poolhouse.Explorer.Scheduling;

/// <summary>What an exploration did.</summary>
/// <param name="Schedules">How many schedules ran.</param>
/// <param name="MostSteps">The steps of the longest.</param>
/// <param name="IsComplete">Whether the strategy had nothing left to try.</param>
/// <param name="Failure">The first failure, or null.</param>
internal sealed record Report(long Schedules, int MostSteps, bool IsComplete, ScheduleFailedException? Failure);
