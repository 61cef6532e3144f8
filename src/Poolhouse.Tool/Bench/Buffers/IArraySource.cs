namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>A rival's source of arrays.</summary>
internal interface IArraySource
{
    int[] Take(int length);

    void Give(int[] array);
}
