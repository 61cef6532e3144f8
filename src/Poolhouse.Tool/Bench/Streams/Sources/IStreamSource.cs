namespace Poolhouse.Tool.Bench.Streams.Sources;

/// <summary>Where streams come from. A struct, so that the JIT compiles each rival's loop over its own types.</summary>
/// <typeparam name="THeld">What is taken and given back.</typeparam>
internal interface IStreamSource<THeld>
{
    /// <param name="length">The length that the stream will have; 0: not known.</param>
    THeld Take(long length);

    Stream Open(THeld held);

    void Give(THeld held);
}
