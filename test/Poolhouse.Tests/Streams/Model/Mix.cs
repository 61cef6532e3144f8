namespace Poolhouse.Tests.Streams.Model;

/// <summary>What a random sequence of the whole public surface can do.</summary>
public enum MixCall
{
    Write,
    WriteByte,
    WriteOwnMemory,
    Read,
    SetPosition,
    SetPositionToEnd,
    SetLength,
    SetCapacity,
    SetLeastCapacity,
    GetMemory,
    GetSpan,
    Advance,
    AdvanceAll,
    AdvanceTooFar,
    PipeGetMemory,
    PipeAdvance,
    GetBuffer,
    TryGetBuffer,
    ToArray,
    WrittenSequence,
    AsReadOnly,
    PipeRead,
    PipeAdvanceTo,
    BeginCopy,
    EndCopy,
    Detach,
    NeighborsMoveIn,
    NeighborsMoveOut,
}

/// <summary>One call.</summary>
/// <param name="Call">Which call it is.</param>
/// <param name="Size">How many bytes, or how far.</param>
public readonly record struct MixMove(MixCall Call, int Size)
{
    public override string ToString() => $"{Call} {Size}";
}
