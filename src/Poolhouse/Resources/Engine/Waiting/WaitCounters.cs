namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>Counts how the waits of callers ended. Under the gate of the queue's owner.</summary>
internal sealed class WaitCounters
{
    public long Served;
    public long Timeouts;
    public long Cancellations;

    /// <summary>The callers that were shed, and those that were not admitted because too many were waiting.</summary>
    public long Shed;

    /// <summary>The total time of all waits.</summary>
    public long WaitTicks;

    public WaitCounters Copy() => (WaitCounters)MemberwiseClone();

    public void Count(WaitOutcome outcome, long waited)
    {
        WaitTicks += waited;
        Served += outcome == WaitOutcome.Served ? 1 : 0;
        Timeouts += outcome == WaitOutcome.TimedOut ? 1 : 0;
        Cancellations += outcome == WaitOutcome.Cancelled ? 1 : 0;
        Shed += outcome == WaitOutcome.Shed ? 1 : 0;
    }
}
