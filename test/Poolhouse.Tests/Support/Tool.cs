using Poolhouse.Workers;

namespace Poolhouse.Tests;

/// <summary>The state of a worker; it records the threads that created and destroyed it.</summary>
internal sealed class Tool(int number)
{
    private int _destructions;

    public int Number => number;

    public int CreatedOn { get; } = Environment.CurrentManagedThreadId;

    public int DestroyedOn { get; private set; }

    public WorkerDestroyReason? Reason { get; private set; }

    public int Destructions => Volatile.Read(ref _destructions);

    public void Destroy(WorkerDestroyReason reason)
    {
        DestroyedOn = Environment.CurrentManagedThreadId;
        Reason = reason;
        Interlocked.Increment(ref _destructions);
    }
}
