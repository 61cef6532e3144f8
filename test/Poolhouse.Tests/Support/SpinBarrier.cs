namespace Poolhouse.Tests;

/// <summary>A spinning barrier for two threads, so that their next steps coincide.</summary>
internal sealed class SpinBarrier
{
    private int _arrivals;

    public void Wait()
    {
        var arrival = Interlocked.Increment(ref _arrivals);
        var all = arrival + (arrival & 1);
        while (Volatile.Read(ref _arrivals) < all)
        {
            Thread.SpinWait(1);
        }
    }
}
