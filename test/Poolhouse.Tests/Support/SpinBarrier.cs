namespace Poolhouse.Tests;

/// <summary>Two threads meet here without the kernel between them, so that what they do next falls together.</summary>
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
