
namespace Poolhouse.Tests;

/// <summary>The state of a worker, which knows its threads.</summary>
internal sealed class Tool(int number)
{
    private int _destructions;

    public int Number => number;

    public int MadeOn { get; } = Environment.CurrentManagedThreadId;

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
