using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Workers.Threads;

/// <summary>A worker's own lock, which its thread can also wait in until it is rung for.</summary>
// Interrupts never come out of it: those that hit a thread while it enters are handed back to it, for a wait of its own; those that
// hit a worker which waits here are meant for no item, and are discarded.
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

    /// <summary>Waits, inside, until it is rung, or for no reason.</summary>
    public void Wait()
    {
        try
        {
            Monitor.Wait(_gate);
        }
        catch (ThreadInterruptedException)
        {
            // The caller looks whether there is a reason to go on.
        }
    }

    /// <summary>Ends the wait of the worker. Inside.</summary>
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
                // Handed back below, once.
            }
        }

        CurrentThread.Interrupt();
    }

    /// <summary>The time inside.</summary>
    internal readonly ref struct Scope(object gate)
    {
        public void Dispose() => Monitor.Exit(gate);
    }
}
