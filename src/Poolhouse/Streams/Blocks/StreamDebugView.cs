using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Streams.Blocks;

/// <summary>A stream as a debugger shows it. Unlike the stream itself, it does not throw if the stream was disposed.</summary>
[SuppressMessage("Performance", "CA1812", Justification = "Created by debuggers.")]
internal sealed class StreamDebugView(PooledStream stream)
{
    public bool IsDisposed => stream.BodyOrNull is null;

    public StreamPool? Pool => stream.BodyOrNull?.Pool;

    public string? Tag => stream.BodyOrNull?.Tag;

    public long? Position => stream.BodyOrNull?.Position;

    public long? Length => stream.BodyOrNull?.Length;

    public long? Capacity => stream.BodyOrNull?.Capacity;

    /// <summary>For how long, and where the stream was rented; null unless its pool is in paranoid mode.</summary>
    public LeaseSnapshot? Lease => stream.BodyOrNull is { } body ? body.Pool.FindLease(body) : null;
}
