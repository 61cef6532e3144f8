using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>Rents a list, adds numbers one by one, and returns it.</summary>
internal readonly struct FillList<TSource>(TSource source, int length) : IOperation
    where TSource : struct, ISource<List<int>>
{
    public int Operations => 1;

    public long Invoke()
    {
        var list = source.Take();
        for (var i = 0; i < length; i++)
        {
            list.Add(i);
        }

        var result = list.Count;
        source.Give(list);
        return result;
    }
}
