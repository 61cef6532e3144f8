using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel.Threading;

/// <summary>A lock that cannot be interrupted: <c>using (_gate.Enter()) { … }</c>.</summary>
// Entering a contended Lock throws when the thread is interrupted. Most sections follow a write that they belong to (a lease has ended,
// an entry was taken out of a cell), so a section that is skipped loses an item. Here an interrupt stays pending instead.
// A struct, so that a `lock` statement on it does not compile. Uncontended, it costs what Lock costs.
internal readonly struct Gate
{
    private readonly Lock _lock = new();

    public Gate()
    {
    }

    /// <summary>Enters; disposing the result leaves.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Scope Enter()
    {
        if (!_lock.TryEnter())
        {
            EnterContended(_lock);
        }

        return new Scope(_lock);
    }

    /// <summary>Leaves, where the result of <see cref="Enter"/> could not be kept.</summary>
    public void Exit() => _lock.Exit();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void EnterContended(Lock held) => Interrupts.Defer(held, static held =>
    {
        while (true)
        {
            try
            {
                held.Enter();
                return;
            }
            catch (OutOfMemoryException)
            {
                // For the event that a lock creates when it is first waited for. Whoever has the lock leaves soon.
                Thread.Yield();
            }
        }
    });

    /// <summary>The time inside.</summary>
    internal readonly ref struct Scope(Lock held)
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Dispose() => held.Exit();
    }
}
