namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>A spinning barrier for two threads, so that their next steps coincide.</summary>
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
