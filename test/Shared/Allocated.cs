namespace Poolhouse.TestSupport;

/// <summary>What a cycle allocates on this thread.</summary>
internal static class Allocated
{
    /// <summary>The bytes of all cycles together, after as many cycles that are not counted.</summary>
    public static long By(Action cycle, int cycles)
    {
        Count(cycle, cycles);

        // The least of three: the count of a thread can jump when a collection that others caused ends its allocation buffer.
        return Enumerable.Range(0, 3).Min(_ => Count(cycle, cycles));
    }

    private static long Count(Action cycle, int cycles)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < cycles; i++)
        {
            cycle();
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
