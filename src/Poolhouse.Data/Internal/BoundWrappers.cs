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

    /// <summary>The lease ends. False if the connection cannot be used again.</summary>
    // Whatever throws says that it cannot: a provider may refuse what it is asked with any exception, and the lease must end all the same.
    public bool LetGo(PhysicalConnection physical)
    {
        var wrapper = _newest;
        _newest = null;
        var reusable = true;
        while (reusable && wrapper is not null)
        {
            var next = wrapper.NextBound;
            wrapper.NextBound = null;
#pragma warning disable CA1031 // See above.
            try
            {
                reusable = wrapper.LetGo(physical);
            }
            catch (Exception)
            {
                reusable = false;
            }
#pragma warning restore CA1031
            wrapper = next;
        }

        return reusable;
    }
}
