namespace Poolhouse.Samples;

/// <summary>Counts rented items that still carried something of the user before: none ever should.</summary>
public sealed class DirtyItems
{
    private int _count;

    public int Count => Volatile.Read(ref _count);

    public void CountIf(bool dirty)
    {
        if (dirty)
        {
            Interlocked.Increment(ref _count);
        }
    }
}
