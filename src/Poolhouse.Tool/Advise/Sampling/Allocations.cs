using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Parsers.Clr;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>Sums up sampled allocations of one kind.</summary>
internal sealed class Allocations
{
    // On average, the runtime takes one sample for so many bytes.
    private const double BytesOfSample = 100 * 1024;
    private const double Large = 85_000;

    private double _count;

    public double Bytes { get; private set; }

    public double LargeBytes { get; private set; }

    public double Size => _count > 0 ? Bytes / _count : 0;

    /// <summary>What an event says about an allocation; null if it is another event.</summary>
    /// <remarks>
    /// From .NET 10 on, allocations are sampled at random. Before, there is an event for each 100 KB, which is about the last
    /// object of them: small objects that are allocated beside large ones are then counted too often.
    /// </remarks>
    public static (string Type, double Bytes, double Size, bool IsRandom)? Of(TraceEvent each) => each switch
    {
        // An object of that size is sampled with the probability by which its size is divided here.
        AllocationSampledTraceData sample => (
            sample.TypeName, sample.ObjectSize / (1 - Math.Exp(-sample.ObjectSize / BytesOfSample)), sample.ObjectSize, true),
        GCAllocationTickTraceData tick => (tick.TypeName, tick.AllocationAmount64, tick.ObjectSize, false),
        _ => null,
    };

    public void Add(double bytes, double size)
    {
        Bytes += bytes;
        LargeBytes += size >= Large ? bytes : 0;
        _count += bytes / Math.Max(size, 1);
    }
}
