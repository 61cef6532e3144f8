namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>No pool.</summary>
internal readonly struct NewArrays : IArraySource
{
    public int[] Take(int length) => new int[length];

    public void Give(int[] array)
    {
    }
}
