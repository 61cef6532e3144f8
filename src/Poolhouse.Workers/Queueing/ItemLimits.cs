namespace Poolhouse.Workers.Queueing;

/// <summary>The time at which an item was queued, and how long it may wait and run, in timestamps.</summary>
internal readonly record struct ItemLimits(long Now, long Queue, long Run);
