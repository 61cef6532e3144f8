namespace Poolhouse.Tests;

/// <summary>A spinning barrier for two threads, so that their next steps coincide.</summary>
internal sealed class SpinBarrier
{
    private int _arrivals;

    public void Wait()
    {
        var arrival = Interlocked.Increment(ref _arrivals);
        var all = arrival + (arrival & 1);

        // It yields soon: on a busy machine, the other thread may need this processor to arrive.
        var spinner = new SpinWait();
        while (Volatile.Read(ref _arrivals) < all)
        {
            spinner.SpinOnce(sleep1Threshold: -1);
        }
    }
}
