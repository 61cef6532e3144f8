using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel.Threading;

/// <summary>The stacks of a store by thread number: the entry point of every rent and return.</summary>
// A copy of the reference may be kept wherever access to it is fast. A store replaces its table only with a larger one that
// contains the same stacks, so an old copy is never wrong: a thread that is missing from it takes the slow path, which refreshes
// the copy. Callers read ThreadIndex.Current first and the table after it: reading a thread static is a call on some platforms,
// and values loaded before the call would be spilled across it.
internal static class ThreadTable
{
    /// <summary>Takes the thread's newest item; returns null if the slow path must be taken.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static object? TryPop(int thread, ThreadStack?[] table) =>
        (uint)thread < (uint)table.Length && table[thread] is { } stack ? stack.TryPop() : null;

    /// <summary>Puts an item on the thread's stack; returns false if the slow path must be taken.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryPush(int thread, ThreadStack?[] table, object item) =>
        (uint)thread < (uint)table.Length && table[thread] is { } stack && stack.TryPush(item);
}
