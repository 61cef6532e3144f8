using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>Holds several arrays at once: rents them one after another, then returns them.</summary>
internal readonly struct NestArrays<TSource>(TSource source, int depth) : IOperation
    where TSource : struct, IArraySource
{
    private const int Length = 1000;

    private readonly int[]?[] _out = new int[]?[depth];

    public int Operations => _out.Length;

    public long Invoke()
    {
        var held = _out;
        for (var i = 0; i < held.Length; i++)
        {
            var array = source.Take(Length);
            array[0] = i;
            held[i] = array;
        }

        var sum = 0L;
        for (var i = held.Length - 1; i >= 0; i--)
        {
            sum += held[i]![0];
            source.Give(held[i]!);
        }

        return sum;
    }
}
