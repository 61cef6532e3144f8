using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel.Threading;

/// <summary>A lock that cannot be interrupted: <c>using (_gate.Enter()) { … }</c>.</summary>
// Entering a contended Lock throws when the thread is interrupted. Most sections follow a write that they belong to (a lease has
// ended, an entry was taken out of a cell), so a skipped section would lose an item. Here an interrupt stays pending instead.
// A struct, so that a `lock` statement on it does not compile. Uncontended, it costs as much as Lock.
internal readonly struct Gate
{
    private readonly Lock _lock = new();

    public Gate()
    {
    }

    /// <summary>Enters the gate. Disposing the result leaves it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Scope Enter()
    {
        if (!_lock.TryEnter())
        {
            EnterContended(_lock);
        }

        return new Scope(_lock);
    }

    /// <summary>Leaves the gate, for code that could not keep the result of <see cref="Enter"/>.</summary>
    public void Exit() => _lock.Exit();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void EnterContended(Lock held) => Interrupts.Defer(held, static held =>
    {
        // A debugger that evaluates an expression while it has stopped the holder then gives up at once, instead of waiting.
        Debugger.NotifyOfCrossThreadDependency();
        while (true)
        {
            try
            {
                held.Enter();
                return;
            }
            catch (OutOfMemoryException)
            {
                // For the event that a lock creates when it is first waited for. The thread that holds the lock leaves soon.
                Thread.Yield();
            }
        }
    });

    /// <summary>The period during which the lock is held.</summary>
    internal readonly ref struct Scope(Lock held)
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Dispose() => held.Exit();
    }
}
