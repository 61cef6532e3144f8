using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Workers.Threads;

/// <summary>A worker's own lock, in which its thread can also wait until it is pulsed.</summary>
// Interrupts never propagate out of it: one that hits a thread while it enters is raised again, for a wait of that thread's own;
// one that hits a worker waiting here is not meant for any item, and is discarded.
internal sealed class WorkerMonitor
{
    private readonly object _gate = new();

    public Scope Enter()
    {
        var taken = false;
        try
        {
            Monitor.Enter(_gate, ref taken);
        }
        catch (ThreadInterruptedException)
        {
            EnterAgain();
        }

        return new Scope(_gate);
    }

    /// <summary>Waits until pulsed; spurious wake-ups are possible. Requires the lock.</summary>
    public void Wait()
    {
        try
        {
            Monitor.Wait(_gate);
        }
        catch (ThreadInterruptedException)
        {
            // The caller checks whether there is a reason to continue.
        }
    }

    /// <summary>Ends the wait of the worker. Requires the lock.</summary>
    public void Pulse() => Monitor.Pulse(_gate);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EnterAgain()
    {
        var taken = false;
        while (!taken)
        {
            try
            {
                Monitor.Enter(_gate, ref taken);
            }
            catch (ThreadInterruptedException)
            {
                // Raised again below, once.
            }
        }

        CurrentThread.Interrupt();
    }

    /// <summary>The period during which the lock is held.</summary>
    internal readonly ref struct Scope(object gate)
    {
        public void Dispose() => Monitor.Exit(gate);
    }
}
