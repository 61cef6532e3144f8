using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Streams.Sources;

namespace Poolhouse.Tool.Bench.Streams.Work;

/// <summary>Rents a stream, works with it, and returns it.</summary>
internal readonly struct UseStream<TWork, TSource, THeld>(TWork work, TSource source) : IOperation
    where TWork : struct, IStreamWork
    where TSource : struct, IStreamSource<THeld>
{
    public int Operations => work.Operations;

    public long Invoke()
    {
        var held = source.Take(work.KnownLength);
        var result = work.Do<TSource>(source.Open(held));
        source.Give(held);
        return result;
    }
}
