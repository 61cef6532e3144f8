namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>One timed round of one rival.</summary>
internal readonly record struct Round(TimeSpan Elapsed, GarbageMeter Garbage);
