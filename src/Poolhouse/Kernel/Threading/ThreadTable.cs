using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel.Threading;

/// <summary>The stacks of a store by thread number: the way in for every rent and return.</summary>
// A copy of the reference may be kept wherever it is quick to reach. A store replaces its table only by a larger one with the same
// stacks in it, so an old copy is never wrong: a thread it lacks takes the slow path, and whoever keeps a copy renews it there.
// Callers name ThreadIndex.Current first, and only then the table: reading a thread static is a call on some platforms, and what was
// loaded before it would be spilled across it.
internal static class ThreadTable
{
    /// <summary>The thread's newest item, or null: then the slow path knows more.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static object? TryPop(int thread, ThreadStack?[] table) =>
        (uint)thread < (uint)table.Length && table[thread] is { } stack ? stack.TryPop() : null;

    /// <summary>Puts an item on the thread's stack, or says false: then the slow path knows why.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryPush(int thread, ThreadStack?[] table, object item) =>
        (uint)thread < (uint)table.Length && table[thread] is { } stack && stack.TryPush(item);
}
