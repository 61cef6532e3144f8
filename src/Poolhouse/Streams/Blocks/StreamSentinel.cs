using System.Diagnostics;

namespace Poolhouse.Streams.Blocks;

/// <summary>
/// Detects a stream that is never disposed. Created when the stream is rented; its finalizer reports a leak, unless the disposal
/// disarmed it.
/// </summary>
// The blocks of a leaked stream are left to the garbage collector together with it: other code may still hold a span, a sequence
// or the array of GetBuffer, which cannot be detected.
internal sealed class StreamSentinel(StreamPool pool, string? tag, long rentedAt, StackTrace? stack)
{
#pragma warning disable MA0055 // The finalizer is the only purpose of the class: it reports, and releases nothing.
    ~StreamSentinel() => pool.ReportLeak(this);
#pragma warning restore MA0055

    public TimeSpan LeasedFor => pool.TimeSince(rentedAt);

    public StreamLeakedArgs Describe() => new(pool, tag, LeasedFor, stack is null ? null : CallerFrames.Of(stack));

#pragma warning disable CA1816 // Disposing a stream is not disposing this object.
    public void Disarm() => GC.SuppressFinalize(this);
#pragma warning restore CA1816
}
