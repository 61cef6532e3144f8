namespace Poolhouse.Samples.PoolTests;

/// <summary>Something that is pooled.</summary>
internal sealed class Session;
