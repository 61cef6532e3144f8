namespace Poolhouse.Data;

/// <summary>The wrappers around what belongs to one lease of a connection, in a list linked through themselves, newest first.</summary>
// It belongs to the holder of the lease, and is not thread safe, as the connection is not.
internal sealed class BoundWrappers
{
    private ILeaseBound? _newest;

    public void Add(ILeaseBound wrapper)
    {
        wrapper.NextBound = _newest;
        _newest = wrapper;
    }

    public void Remove(ILeaseBound wrapper)
    {
        if (_newest == wrapper)
        {
            _newest = wrapper.NextBound;
        }
        else
        {
            for (var before = _newest; before is not null; before = before.NextBound)
            {
                if (before.NextBound == wrapper)
                {
                    before.NextBound = wrapper.NextBound;
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

        return null;
    }

    /// <summary>The lease ends. False if the connection cannot be used again: then what has not been asked stays, for <see cref="CancelRunning"/>.</summary>
    // Whatever throws says that it cannot: a provider may refuse what it is asked with any exception, and the lease must end all the same.
    public bool LetGo(PhysicalConnection physical)
    {
        while (_newest is { } wrapper)
        {
            _newest = wrapper.NextBound;
            wrapper.NextBound = null;
#pragma warning disable CA1031 // See above.
            try
            {
                if (!wrapper.LetGo(physical))
                {
                    return false;
                }
            }
            catch (Exception)
            {
                return false;
            }
#pragma warning restore CA1031
        }

        return true;
    }

    /// <summary>Cancels what still runs on a connection that is to be destroyed.</summary>
    // The threads that run it may still change the list: it is followed only so far, and what is missed is found the next time.
    public void CancelRunning()
    {
        var wrapper = _newest;
        for (var i = 0; wrapper is not null && i < 1_000; i++, wrapper = wrapper.NextBound)
        {
#pragma warning disable CA1031 // The statement may have ended, or the line is broken: then it ends by itself.
            try
            {
                wrapper.CancelRunning();
            }
            catch (Exception)
            {
                // The next attempt may succeed.
            }
#pragma warning restore CA1031
        }
    }
}
