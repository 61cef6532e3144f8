using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Poolhouse.Workers;

/// <summary>
/// The lock around one end of a lane. It is held for some nanoseconds, by every post and every take, so that even what a
/// <see cref="Lock"/> does to know its owner would show. Not reentrant.
/// </summary>
internal struct LaneGate
{
#pragma warning disable IDE0044 // Not readonly: calls on a readonly field would go to a copy.
    private SpinLock _lock;
#pragma warning restore IDE0044

    public LaneGate() => _lock = new SpinLock(enableThreadOwnerTracking: false);

    /// <summary>Enters; disposing the result leaves.</summary>
    [UnscopedRef]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Scope Enter()
    {
        var taken = false;
        _lock.Enter(ref taken);
        return new Scope(ref _lock);
    }

    /// <summary>The time inside.</summary>
    internal readonly ref struct Scope(ref SpinLock held)
    {
        private readonly ref SpinLock _held = ref held;

        // A full fence: whoever comes in sees it all, and what follows is not done before.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Dispose() => _held.Exit(useMemoryBarrier: true);
    }
}
