namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>Where a rival's arrays come from.</summary>
internal interface IArraySource
{
    int[] Take(int length);

    void Give(int[] array);
}
