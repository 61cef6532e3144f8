namespace Poolhouse.Explorer.Scheduling;

/// <summary>A schedule led to a violation.</summary>
#pragma warning disable RCS1194 // Created in one place.
public sealed class ScheduleFailedException(string message, Exception failure) : Exception(message, failure);
#pragma warning restore RCS1194
