namespace Poolhouse.Tool.Bench.Streams;

/// <summary>Samples the size of the heap and keeps the maximum.</summary>
internal sealed class HeapWatch
{
    private const int LargeObjectHeap = 3;

    private readonly long _floor;
    private readonly long _floorOfLarge;
    private long _lastCollection;

    /// <summary>Collects all garbage; the remaining bytes do not count.</summary>
    public HeapWatch()
    {
        Collect();
        _floor = GC.GetTotalMemory(forceFullCollection: false);
        var large = GC.GetGCMemoryInfo(GCKind.Any).GenerationInfo[LargeObjectHeap];
        _floorOfLarge = large.SizeAfterBytes - large.FragmentationAfterBytes;
    }

    /// <summary>The most bytes in use, garbage included.</summary>
    public long Most { get; private set; }

    /// <summary>The most bytes of large objects that a collection met.</summary>
    public long MostLarge { get; private set; }

    public static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
    }

    /// <returns>The bytes in use now.</returns>
    public long Look()
    {
        var now = Math.Max(0, GC.GetTotalMemory(forceFullCollection: false) - _floor);
        Most = Math.Max(Most, now);
        var last = GC.GetGCMemoryInfo(GCKind.Any);
        if (last.Index != _lastCollection)
        {
            _lastCollection = last.Index;
            var large = last.GenerationInfo[LargeObjectHeap];
            MostLarge = Math.Max(MostLarge, large.SizeBeforeBytes - large.FragmentationBeforeBytes - _floorOfLarge);
        }

        return now;
    }
}
