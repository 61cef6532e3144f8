namespace Poolhouse.Tool.Bench.Streams.Sources;

/// <summary>A source of streams. A struct, so that the JIT compiles each rival's loop for its own types.</summary>
/// <typeparam name="THeld">The type that is rented and returned.</typeparam>
internal interface IStreamSource<THeld>
{
    /// <param name="length">The length that the stream will have; 0: not known.</param>
    THeld Take(long length);

    Stream Open(THeld held);

    void Give(THeld held);
}
