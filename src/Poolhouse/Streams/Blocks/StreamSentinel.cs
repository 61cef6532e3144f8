using System.Diagnostics;

namespace Poolhouse.Streams.Blocks;

/// <summary>
/// Detects streams that were never disposed. Armed when a stream is rented and disarmed when it is disposed; its finalizer
/// reports a leak if it is still armed.
/// </summary>
// The blocks of a leaked stream are left to the garbage collector together with it: other code may still hold a span, a sequence
// or the array of GetBuffer, which cannot be detected.
internal sealed class StreamSentinel
{
    private readonly StreamPool _pool;
    private string? _tag;
    private long _rentedAt;
    private StackTrace? _stack;

    public StreamSentinel(StreamPool pool)
    {
        _pool = pool;

        // Created disarmed: registering it again, on top of the registration at creation, would make its finalizer run twice.
        GC.SuppressFinalize(this);
    }

#pragma warning disable MA0055 // The finalizer is the only purpose of the class: it reports, and releases nothing.
    ~StreamSentinel() => _pool.ReportLeak(_tag, _rentedAt, _stack);
#pragma warning restore MA0055

    public void Arm(string? tag, long rentedAt, StackTrace? stack)
    {
        _tag = tag;
        _rentedAt = rentedAt;
        _stack = stack;
        GC.ReRegisterForFinalize(this);
    }

    public void Disarm()
    {
#pragma warning disable CA1816 // Its stream was disposed; it stays alive for the next one.
        GC.SuppressFinalize(this);
#pragma warning restore CA1816
        _tag = null;
        _stack = null;
    }
}
