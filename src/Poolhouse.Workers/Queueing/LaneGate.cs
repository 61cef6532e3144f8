using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Workers.Queueing;

/// <summary>
/// The lock around one end of a lane. Every post and every take holds it for some nanoseconds, so even the cost of the owner
/// tracking in <see cref="Lock"/> would be noticeable. Not reentrant, and not affected by interrupts.
/// </summary>
internal struct LaneGate
{
#pragma warning disable IDE0044 // Not readonly: calls on a readonly field would go to a copy.
    private SpinLock _lock;
#pragma warning restore IDE0044

    public LaneGate() => _lock = new SpinLock(enableThreadOwnerTracking: false);

    /// <summary>Enters the gate. Disposing the result leaves it, and the next thread to enter sees all writes.</summary>
    [UnscopedRef]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Scope Enter() => Enter(fences: false);

    /// <summary>The same, but leaving is also a full fence: subsequent operations are not moved before it.</summary>
    [UnscopedRef]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Scope EnterAndFence() => Enter(fences: true);

    [UnscopedRef]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Scope Enter(bool fences)
    {
        var taken = false;
        _lock.TryEnter(ref taken);
        if (!taken)
        {
            EnterContended(ref _lock);
        }

        return new Scope(ref _lock, fences);
    }

    // A SpinLock sleeps when it has to wait for long, and a sleep can be interrupted.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void EnterContended(ref SpinLock held)
    {
        var (taken, interrupted) = (false, false);
        while (!taken)
        {
            try
            {
                held.Enter(ref taken);
            }
            catch (ThreadInterruptedException)
            {
                interrupted = true;
            }
        }

        if (interrupted)
        {
            CurrentThread.Interrupt();
        }
    }

    /// <summary>The period during which the lock is held.</summary>
    internal readonly ref struct Scope(ref SpinLock held, bool fences)
    {
        private readonly ref SpinLock _held = ref held;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Dispose() => _held.Exit(useMemoryBarrier: fences);
    }
}
