using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel;

/// <summary>Keeps the fields of derived classes off the cache lines of the object that precedes this one on the heap.</summary>
internal abstract class CacheLinePadding
{
    // The object header and method table take 16 bytes: together two lines of 64, because adjacent lines are prefetched in pairs.
#pragma warning disable CS0169, CA1823, IDE0051 // Never used: only its size matters.
    private readonly Lines _lines;
#pragma warning restore CS0169, CA1823, IDE0051

    [InlineArray(14)]
    private struct Lines
    {
        private long _first;
    }
}
