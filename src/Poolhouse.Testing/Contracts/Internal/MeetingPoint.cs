namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>Two threads meet here without the kernel between them, so that what they do next falls together.</summary>
internal sealed class MeetingPoint
{
    private int _arrivals;

    public void Meet()
    {
        Interlocked.Increment(ref _arrivals);
        var spinner = default(SpinWait);
        while (Volatile.Read(ref _arrivals) < 2)
        {
            spinner.SpinOnce(sleep1Threshold: -1);
        }
    }
}
