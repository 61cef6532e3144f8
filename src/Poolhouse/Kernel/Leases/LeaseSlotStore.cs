using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Kernel.Leases;

/// <summary>The store to which the slots of a cache return when their items need no processing first.</summary>
// How a lease ends without an interlocked instruction (docs/design/adr-0034)
//   As long as every lease of the store ends on the thread that began it, only that thread can end it, and it does so in a busy
//   section of its stack. The first lease that ends on another thread changes the store for good: from then on, leases end by a
//   compare-and-swap.
// Order of accesses (an asymmetric Dekker, as in ThreadStack)
//   owner:   busy = 1, then read _endOnTheirThreads
//   change:  _endOnTheirThreads = false, process-wide barrier, then read the busy of every stack
//   Afterwards, an owner that still saw true is visible as busy and waited for, and a later one sees false.
internal abstract class LeaseSlotStore
{
    private bool _endOnTheirThreads = true;
    private bool _endAnywhere;

    /// <summary>
    /// Whether each lease ends on the thread that began it. Decisive in a busy section of that thread's stack, elsewhere a hint.
    /// </summary>
    public bool LeasesEndOnTheirThreads
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _endOnTheirThreads);
    }

    /// <summary>Whether every lease ends by a compare-and-swap, on whichever thread.</summary>
    public bool LeasesEndAnywhere
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _endAnywhere);
    }

    /// <summary>The slots' stacks: a copy of their store's table, refreshed by the slow paths.</summary>
    protected ThreadStack?[] SlotTable { get; set; } = [];

    /// <summary>The lock of the store. No busy section is entered under it.</summary>
    protected Gate Gate { get; } = new();

    /// <summary>The slots' stacks, all of them.</summary>
    protected abstract ThreadStack?[] SlotStacks { get; }

    /// <summary>The current thread's stack of slots; null if the slow path must be taken.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ThreadStack? FindStack() => ThreadTable.Find(ThreadIndex.Current, SlotTable);

    /// <summary>
    /// Lets leases end on any thread. When it returns, no thread ends a lease in any other way than by a compare-and-swap.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void LetLeasesEndAnywhere()
    {
        using (Gate.Enter())
        {
            if (LeasesEndAnywhere)
            {
                return;
            }

            Volatile.Write(ref _endOnTheirThreads, false);
            Interlocked.MemoryBarrierProcessWide();
            foreach (var stack in SlotStacks)
            {
                stack?.SpinUntilQuiescent();
            }

            Volatile.Write(ref _endAnywhere, true);
        }
    }
}
