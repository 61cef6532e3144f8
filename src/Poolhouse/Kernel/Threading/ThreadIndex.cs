using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel.Threading;

/// <summary>Assigns a small number to each living thread: 1, 2, 3…, the lowest that is free.</summary>
// Numbers are used instead of thread-local stacks for this reason: a pool keeps its per-thread stacks in its own table, indexed
// by this number, so a thread holds no reference to any pool. An unreferenced pool is ordinary garbage, a collectible type is
// never rooted by a thread, and the stack of a thread that ended is found by the next thread that gets its number
// (docs/design/adr-0001).
// Invariants
//   no two living threads have the same number: a number is released by the finalizer of an object that only its thread refers to
//   0 is never assigned, so that "not numbered yet" needs no second thread static
// This class has no static constructor, because the JIT inlines a thread static only in a type without one.
internal static class ThreadIndex
{
    [ThreadStatic]
    private static int _current;

    [ThreadStatic]
    private static Holder? _holder;

    /// <summary>The number of the current thread, or 0 while it has none.</summary>
    public static int Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _current;
    }

    /// <summary>The number of the current thread; assigns one if it has none.</summary>
    public static int GetOrAssign() => _current != 0 ? _current : Assign();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Assign()
    {
        var number = Numbers.Take();
        _holder = new Holder(number);
        return _current = number;
    }

    /// <summary>Lives as long as its thread; its finalizer releases the number.</summary>
    private sealed class Holder(int number)
    {
#pragma warning disable MA0055 // The end of a thread cannot be detected in any other way.
        ~Holder() => Numbers.Free(number);
#pragma warning restore MA0055
    }

    private static class Numbers
    {
        private static readonly Gate _gate = new();
        private static readonly List<int> _free = [];
        private static int _highest;

        public static int Take()
        {
            using (_gate.Enter())
            {
                if (_free is [var lowest, ..])
                {
                    _free.RemoveAt(0);
                    return lowest;
                }

                // For Free, which is called by a finalizer: lack of memory there would end the process.
                _free.EnsureCapacity(_highest + 1);
                return ++_highest;
            }
        }

        public static void Free(int number)
        {
            using (_gate.Enter())
            {
                _free.Insert(~_free.BinarySearch(number), number);
            }
        }
    }
}
