namespace Poolhouse.Explorer.Scheduling;

/// <summary>A schedule led to a violation.</summary>
#pragma warning disable CA1032, RCS1194 // Created in one place.
public sealed class ScheduleFailedException(string message, Exception failure) : Exception(message, failure);
#pragma warning restore CA1032, RCS1194
