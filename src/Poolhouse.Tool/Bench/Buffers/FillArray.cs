using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>Rents an array, writes all of it, and returns it.</summary>
internal readonly struct FillArray<TSource>(TSource source, int length) : IOperation
    where TSource : struct, IArraySource
{
    public int Operations => 1;

    public long Invoke()
    {
        var array = source.Take(length);
        array.AsSpan(0, length).Fill(length);
        var result = array[length - 1];
        source.Give(array);
        return result;
    }
}
