namespace Poolhouse.Tool.Watch;

/// <summary>A label and the number of leases that have it.</summary>
internal sealed record Holder(string Label, long Count);
