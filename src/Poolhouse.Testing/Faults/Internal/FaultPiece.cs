namespace Poolhouse.Testing.Faults.Internal;

/// <summary>The result of one read of a connection.</summary>
/// <param name="Bytes">The bytes; none: the end of the stream.</param>
/// <param name="Number">Higher than that of every piece that arrived before, in any connection.</param>
/// <param name="Arrival">When it arrived: a timestamp of the proxy's clock.</param>
internal readonly record struct FaultPiece(ReadOnlyMemory<byte> Bytes, long Number, long Arrival)
{
    private static long _lastNumber;

    /// <summary>The number of the latest piece.</summary>
    public static long LastNumber => Interlocked.Read(ref _lastNumber);

    public static FaultPiece Arrive(ReadOnlyMemory<byte> bytes, TimeProvider time) =>
        new(bytes, Interlocked.Increment(ref _lastNumber), time.GetTimestamp());
}
