namespace Poolhouse.Tests.Streams.Model;

/// <summary>What a random sequence can do to a stream.</summary>
public enum StreamCall
{
    Read,
    ReadSpan,
    ReadByte,
    ReadAsync,
    ReadMemoryAsync,
    BeginRead,
    ReadExactly,
    ReadExactlySpan,
    ReadExactlyAsync,
    ReadAtLeast,
    ReadAtLeastAsync,
    Write,
    WriteSpan,
    WriteByte,
    WriteAsync,
    WriteMemoryAsync,
    BeginWrite,
    Seek,
    SetPosition,
    SetLength,
    CopyTo,
    CopyToAsync,
    CopyToItself,
    Flush,
    FlushAsync,
    Timeouts,
    Dispose,
    DisposeAsync,
    Close,

    /// <summary>From here on: what <see cref="MemoryStream"/> adds to <see cref="Stream"/>.</summary>
    WriteTo,
    WriteToItself,
    ToArray,
    GetBuffer,
    TryGetBuffer,
    WriteThroughBuffer,
    SeeThroughBuffer,
    WriteOwnBuffer,
    SetCapacity,

    /// <summary>From here on: the buffer writer's calls, each of which stands for a write.</summary>
    AdvanceSpan,
    AdvanceMemory,
}
