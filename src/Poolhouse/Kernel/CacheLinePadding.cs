using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel;

/// <summary>Keeps the fields that follow off the cache lines of whatever the heap put before this object.</summary>
internal abstract class CacheLinePadding
{
    // Object header and method table are 16 bytes: together two lines of 64, because adjacent lines are prefetched in pairs.
#pragma warning disable CS0169, CA1823, IDE0051 // Never used: its size is what it is for.
    private readonly Lines _lines;
#pragma warning restore CS0169, CA1823, IDE0051

    [InlineArray(14)]
    private struct Lines
    {
        private long _first;
    }
}
