using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <summary>The callers of a shared pool that wait for room in an item, in order of arrival.</summary>
// Invariants
//   a caller that has a slot and finds no room is in the list until it leaves. It waits for the end of a use as well as for the
//   item being created: the latter may take long, or fail (I5). No other caller takes room meanwhile
//   while the first caller is not awake, all items are marked as full, so that the next end of a use is reported, and another
//   item is being created unless there are enough; or a thread is about to report that this has changed (I5)
// Locks: the gate of the item set guards the list. Callers are woken outside of it.
internal sealed class SharedCallers<T>(SharedItemSet<T> itemSet, Gate gate)
    where T : notnull
{
    private readonly IntrusiveList<SharedCaller<T>> _callers = new();
    private int _count;

    /// <summary>Called when more callers may lack room, under no lock; null if that concerns no one.</summary>
    public Action? LackOfRoomChanged { get; set; }

    /// <summary>Whether there are any, awake or not; each end of a use is then reported. Read without the gate.</summary>
    public bool Exist => Volatile.Read(ref _count) > 0;

    /// <summary>
    /// Adds a caller that found no room, and has another item created for it unless there are enough. Called again when the
    /// caller was woken and found no room.
    /// </summary>
    /// <returns>Whether the caller must wait for <see cref="SharedCaller{T}.Woken"/>; otherwise it looks for room now.</returns>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public bool TryWait(SharedCaller<T> caller)
    {
        caller.Prepare();
        SharedGrowth<T>? growth;
        bool isNew;
        using (gate.Enter())
        {
            itemSet.ThrowIfClosedLocked();
            if (caller.List is null)
            {
                _callers.AddLast(caller);
                Volatile.Write(ref _count, _callers.Count);
            }

            if (caller.Failed is not null || IsAmongFirst(itemSet.CountRoomLocked(), caller))
            {
                caller.IsAwake = true;
                return false;
            }

            growth = itemSet.TryBeginGrowthLocked(out isNew);
            caller.IsAwake = false;
        }

        if (isNew)
        {
            growth!.Begin();
        }

        ReportLackOfRoom();
        return true;
    }

    /// <summary>Removes a caller, whatever its outcome; another one is woken for the room that it leaves.</summary>
    public void EndWait(SharedCaller<T> caller)
    {
        SharedCaller<T>? woken = null;
        using (gate.Enter())
        {
            if (caller.List is not null)
            {
                _callers.Remove(caller);
                Volatile.Write(ref _count, _callers.Count);
                woken = MarkLocked();
            }
        }

        Wake(woken);
        ReportLackOfRoom();
    }

    /// <summary>Counts the callers that wait for the end of a use, because no further item may be created.</summary>
    public int CountWithoutRoom()
    {
        using (gate.Enter())
        {
            var count = 0;
            for (var caller = itemSet.IsFullLocked ? _callers.First : null; caller is not null; caller = caller.Next)
            {
                count += caller.IsAwake ? 0 : 1;
            }

            return count;
        }
    }

    /// <summary>Reports that more callers may lack room.</summary>
    public void ReportLackOfRoom()
    {
        try
        {
            LackOfRoomChanged?.Invoke();
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The next change of the callers reports it again.
        }
    }

    /// <summary>Wakes the first callers after a change that may give them room, or permit the creation of an item.</summary>
    public void ReportRoom()
    {
        SharedCaller<T>? woken;
        using (gate.Enter())
        {
            woken = MarkLocked();
        }

        Wake(woken);
    }

    /// <summary>Marks as awake as many of the first callers as may find room or must have an item created.</summary>
    /// <returns>Those that were not awake, linked; to be passed to <see cref="Wake"/> outside of the gate.</returns>
    public SharedCaller<T>? MarkLocked()
    {
        if (itemSet.IsClosed)
        {
            // They learn that the pool is closed.
            return MarkFirstLocked(int.MaxValue);
        }

        if (_callers.Count == 0)
        {
            // No item is marked as full: that would have the end of its next use reported.
            return null;
        }

        var room = itemSet.CountRoomLocked();
        return MarkFirstLocked(room == 0 && itemSet.MayGrowLocked ? 1 : room);
    }

    /// <summary>Has all callers fail that find no room, and marks them as awake.</summary>
    /// <returns>As for <see cref="MarkLocked"/>.</returns>
    public SharedCaller<T>? FailLocked(SharedGrowth<T> failed)
    {
        for (var caller = _callers.First; caller is not null; caller = caller.Next)
        {
            caller.Failed = failed;
        }

        return MarkFirstLocked(int.MaxValue);
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

    private static bool IsAmongFirst(int count, SharedCaller<T> caller)
    {
        for (var ahead = caller.Previous; ahead is not null && count > 0; ahead = ahead.Previous)
        {
            count--;
        }

        return count > 0;
    }

    private SharedCaller<T>? MarkFirstLocked(int count)
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
}
