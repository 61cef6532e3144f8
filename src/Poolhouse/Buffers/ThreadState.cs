using System.Runtime.CompilerServices;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Buffers;

/// <summary>What a thread keeps for one type of item: its number, and its stacks in the pool that the process shares.</summary>
// ThreadStack.Find finds a stack by the thread's number in a table of the pool. A pool that lives as long as the process may
// instead be found through the thread, which takes fewer steps (docs/design/adr-0001). The number is kept beside it, because a
// pool that is not the shared one would otherwise need a second thread static.
// Invariants
//   an entry is the stack that the pool's store has for this thread's number. A store never replaces a stack, and a number is
//   not assigned again while its thread lives, so an entry is never wrong; a missing one sends the thread to the slow path
// This class has no static constructor, because the JIT inlines a thread static only in a type without one.
internal sealed class ThreadState<T>(int number)
{
    /// <summary>The number of stacks that a thread has in the shared pool: one for each pooled length.</summary>
    public const int SharedCount = 27;

    [ThreadStatic]
    private static ThreadState<T>? _current;

    private Stacks _shared;

    /// <summary>The state of the current thread; null until its first slow path.</summary>
    public static ThreadState<T>? Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _current;
    }

    /// <summary>The number of the thread; see <see cref="ThreadIndex"/>.</summary>
    public int Number { get; } = number;

    /// <summary>The state of the current thread; creates it if there is none.</summary>
    public static ThreadState<T> GetOrCreate() => _current ??= new ThreadState<T>(ThreadIndex.GetOrAssign());

    /// <summary>The thread's stack in the shared pool; null if it was not added.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ThreadStack? FindShared(int index) => (uint)index < SharedCount ? _shared[index] : null;

    /// <summary>Adds the thread's stack in the shared pool.</summary>
    public void AddShared(int index, ThreadStack stack) => _shared[index] = stack;

    [InlineArray(SharedCount)]
    private struct Stacks
    {
        private ThreadStack? _first;
    }
}
