namespace Poolhouse.Tool.Watch;

/// <summary>One of the oldest leases.</summary>
internal sealed record HeldItem(TimeSpan Age, long Item, string Trace, string Label);
