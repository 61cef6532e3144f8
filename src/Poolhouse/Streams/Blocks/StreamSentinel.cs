using System.Diagnostics;

namespace Poolhouse.Streams.Blocks;

/// <summary>
/// Dies with its stream: armed when a stream is rented, disarmed when it is disposed, and heard when that was forgotten.
/// </summary>
// The blocks of a forgotten stream are left to the garbage collector with it: somebody may still hold a span, a sequence or the
// array of GetBuffer, and nothing tells.
internal sealed class StreamSentinel
{
    private readonly StreamPool _pool;
    private string? _tag;
    private long _rentedAt;
    private StackTrace? _stack;

    public StreamSentinel(StreamPool pool)
    {
        _pool = pool;

        // Born disarmed: arming it as if it were registered by birth as well would make its finalizer run twice.
        GC.SuppressFinalize(this);
    }

#pragma warning disable MA0055 // The finalizer is all there is to it: it notices, it frees nothing.
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
#pragma warning disable CA1816 // Its stream was disposed; it lives on, for the next one.
        GC.SuppressFinalize(this);
#pragma warning restore CA1816
        _tag = null;
        _stack = null;
    }
}
