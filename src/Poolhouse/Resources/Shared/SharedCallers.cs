using Poolhouse.Kernel;

namespace Poolhouse.Resources.Shared;

/// <summary>The callers of a shared pool that wait for room in an item, in order of arrival.</summary>
// Under the gate of the item set, except for Count and Wake.
internal sealed class SharedCallers<T>
    where T : notnull
{
    private readonly IntrusiveList<SharedCaller<T>> _callers = new();
    private int _count;

    /// <summary>The number of callers, awake or not. May be read without the gate.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Adds a caller, unless it is in the list already.</summary>
    public void Add(SharedCaller<T> caller)
    {
        if (caller.List is null)
        {
            _callers.AddLast(caller);
            Volatile.Write(ref _count, _callers.Count);
        }
    }

    /// <returns>False if it was never added.</returns>
    public bool TryRemove(SharedCaller<T> caller)
    {
        if (caller.List is null)
        {
            return false;
        }

        _callers.Remove(caller);
        Volatile.Write(ref _count, _callers.Count);
        return true;
    }

    /// <summary>Whether a caller is one of the first ones, up to the given number.</summary>
    public static bool IsAmongFirst(int count, SharedCaller<T> caller)
    {
        for (var ahead = caller.Previous; ahead is not null && count > 0; ahead = ahead.Previous)
        {
            count--;
        }

        return count > 0;
    }

    /// <summary>Has all callers fail that find no room.</summary>
    public void Fail(SharedGrowth<T> failed)
    {
        for (var caller = _callers.First; caller is not null; caller = caller.Next)
        {
            caller.Failed = failed;
        }
    }

    /// <summary>Marks the first callers, up to the given number, as awake.</summary>
    /// <returns>Those that were not, linked; to be passed to <see cref="Wake"/> outside of the gate.</returns>
    public SharedCaller<T>? MarkFirst(int count)
    {
        SharedCaller<T>? first = null;
        SharedCaller<T>? last = null;
        for (var caller = _callers.First; caller is not null && count > 0; caller = caller.Next)
        {
            count--;
            if (!caller.IsAwake)
            {
                caller.IsAwake = true;
                first ??= caller;
                if (last is not null)
                {
                    last.NextWoken = caller;
                }

                last = caller;
            }
        }

        return first;
    }

    /// <summary>Wakes the callers that were marked. They look for room themselves, none of them on this stack.</summary>
    public static void Wake(SharedCaller<T>? first)
    {
        while (first is { } caller)
        {
            // Before it is woken: it may then wait, and be marked, again.
            (first, caller.NextWoken) = (caller.NextWoken, null);
            caller.Wake();
        }
    }
}
