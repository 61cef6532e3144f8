using System.Runtime.CompilerServices;

namespace Poolhouse.Internal;

/// <summary>The stacks of a lane by thread number: the way in for every rent and return.</summary>
// A copy of the reference may be kept wherever it is quick to reach. A lane replaces its table only by a larger one with the same
// stacks in it, so an old copy is never wrong: a thread it lacks takes the slow path, and whoever keeps a copy renews it there.
internal readonly struct ThreadTable(ThreadStack?[] table)
{
    public static readonly ThreadTable Empty = new([]);

    private readonly ThreadStack?[] _stacks = table;

    /// <summary>The current thread's newest item, or null: then the slow path knows more.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public object? TryPop()
    {
        var index = ThreadIndex.Current;
        var stacks = _stacks;
        return (uint)index < (uint)stacks.Length && stacks[index] is { } stack ? stack.TryPop() : null;
    }

    /// <summary>Puts an item on the current thread's stack, or says false: then the slow path knows why.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPush(object item)
    {
        var index = ThreadIndex.Current;
        var stacks = _stacks;
        return (uint)index < (uint)stacks.Length && stacks[index] is { } stack && stack.TryPush(item);
    }
}
