using System.Runtime.CompilerServices;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data.Wrappers;

/// <summary>The wrappers around the provider's objects of one lease.</summary>
// Invariants
//   a wrapper that is in use is in a list linked through the wrappers themselves, newest first
//   an idle one is there too, or in _idle, which does not keep it alive: users of a connection that stays open for a long time
//   may dispose nothing. Garbage objects need not be detached; an object unwrapped from them cannot reach another caller's
//   connection anyway.
//   A removed wrapper may stay in _idle: it records its connection, and is not detached twice
// It belongs to the holder of the lease, and is not thread safe, as the connection is not.
internal sealed class BoundWrappers
{
    private const int MinLimit = 64;

    private ILeaseBound? _newest;
    private int _count;
    private int _limit = MinLimit;

    private WeakReference<ILeaseBound>?[] _idle = [];
    private int _idleCount;

    public void Add(ILeaseBound wrapper)
    {
        wrapper.NextBound = _newest;
        _newest = wrapper;
        if (++_count > _limit)
        {
            HoldIdleWeakly();
        }
    }

    public void Remove(ILeaseBound wrapper)
    {
        if (_newest == wrapper)
        {
            _newest = wrapper.NextBound;
            _count--;
        }
        else
        {
            for (var before = _newest; before is not null; before = before.NextBound)
            {
                if (before.NextBound == wrapper)
                {
                    before.NextBound = wrapper.NextBound;
                    _count--;
                    break;
                }
            }
        }

        wrapper.NextBound = null;
    }

    public T? First<T, TState>(Func<T, TState, bool> condition, TState state)
        where T : class, ILeaseBound
    {
        for (var wrapper = _newest; wrapper is not null; wrapper = wrapper.NextBound)
        {
            if (wrapper is T found && condition(found, state))
            {
                return found;
            }
        }

        for (var i = 0; i < _idleCount; i++)
        {
            if (_idle[i]!.TryGetTarget(out var idle) && idle is T found && condition(found, state))
            {
                return found;
            }
        }

        return null;
    }

    /// <summary>
    /// The lease ends. False if the connection cannot be reused: then the remaining commands and batches stay, for
    /// <see cref="CancelRunning"/>.
    /// </summary>
    public bool TryDetach(PhysicalConnection physical)
    {
        while (_newest is { } wrapper)
        {
            _newest = wrapper.NextBound;
            wrapper.NextBound = null;
            if (!TryDetachOne(wrapper, physical))
            {
                DetachReaders(physical);
                return false;
            }
        }

        (_count, _limit) = (0, MinLimit);
        return _idleCount == 0 || TryDetachIdle(physical);
    }

    /// <summary>Cancels what still runs on a connection that will be destroyed.</summary>
    // The threads that run it may still change the list, so the walk is bounded; what is missed is found the next time.
    public void CancelRunning(PhysicalConnection physical)
    {
        var wrapper = _newest;
        for (var i = 0; wrapper is not null && i < 1_000; i++, wrapper = wrapper.NextBound)
        {
            Cancel(wrapper, physical);
        }

        foreach (var reference in _idle)
        {
            if (reference is not null && reference.TryGetTarget(out var idle))
            {
                Cancel(idle, physical);
            }
        }
    }

    private static void Cancel(ILeaseBound wrapper, PhysicalConnection physical)
    {
#pragma warning disable CA1031 // The statement may have ended, or the line is broken: then it ends by itself.
        try
        {
            wrapper.CancelRunning(physical);
        }
        catch (Exception)
        {
            // The next attempt may succeed.
        }
#pragma warning restore CA1031
    }

    // Every exception means that the connection cannot be reused: a provider may reject the call with any exception, and the
    // lease must end anyway.
    private static bool TryDetachOne(ILeaseBound wrapper, PhysicalConnection physical)
    {
        try
        {
            return wrapper.TryDetach(physical);
        }
#pragma warning disable CA1031 // See above.
        catch (Exception)
#pragma warning restore CA1031
        {
            return false;
        }
    }

    // A reader that stayed open would read on, and would close the next opening of its wrapper.
    private void DetachReaders(PhysicalConnection physical)
    {
        while (First<PooledDataReader, object?>(static (_, _) => true, state: null) is { } reader)
        {
            Remove(reader);
            TryDetachOne(reader, physical);
        }
    }

    private bool TryDetachIdle(PhysicalConnection physical)
    {
        for (; _idleCount > 0; _idleCount--)
        {
            if (_idle[_idleCount - 1]!.TryGetTarget(out var wrapper) && !TryDetachOne(wrapper, physical))
            {
                return false;
            }
        }

        _idle = [];
        return true;
    }

    /// <summary>Stops keeping idle wrappers alive.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void HoldIdleWeakly()
    {
        var before = _newest!;
        for (var wrapper = before.NextBound; wrapper is not null; wrapper = before.NextBound)
        {
            if (wrapper.IsIdle)
            {
                before.NextBound = wrapper.NextBound;
                wrapper.NextBound = null;
                _count--;
                AddIdle(wrapper);
            }
            else
            {
                before = wrapper;
            }
        }

        _limit = Math.Max(MinLimit, 2 * _count);
    }

    private void AddIdle(ILeaseBound wrapper)
    {
        if (_idleCount == _idle.Length)
        {
            // A new array: CancelRunning may be reading the old one.
            var alive = Array.FindAll(_idle, static reference => reference!.TryGetTarget(out _));
            _idleCount = alive.Length;
            Array.Resize(ref alive, Math.Max(MinLimit, 2 * alive.Length));
            _idle = alive;
        }

        _idle[_idleCount++] = new WeakReference<ILeaseBound>(wrapper);
    }
}
