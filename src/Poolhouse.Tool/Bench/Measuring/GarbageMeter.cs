namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>What the garbage collector counted up to a moment.</summary>
internal readonly record struct GarbageMeter(long Bytes, int Gen0, int Gen1, int Gen2, TimeSpan Pause)
{
    public static GarbageMeter Read() => new(
        GC.GetTotalAllocatedBytes(precise: true),
        // A collection of a generation collects the younger ones too, and is counted in each.
        GC.CollectionCount(0) - GC.CollectionCount(1),
        GC.CollectionCount(1) - GC.CollectionCount(2),
        GC.CollectionCount(2),
        GC.GetTotalPauseDuration());

    public static GarbageMeter operator -(GarbageMeter later, GarbageMeter earlier) => new(
        later.Bytes - earlier.Bytes,
        later.Gen0 - earlier.Gen0,
        later.Gen1 - earlier.Gen1,
        later.Gen2 - earlier.Gen2,
        later.Pause - earlier.Pause);
}
