namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>Callers whose outcome is decided and who are to be woken after the gate has been left, in this order.</summary>
// Allocates nothing: the callers are chained by their own links.
internal struct WokenCallers
{
    private Caller? _first;
    private Caller? _last;

    public void Add(Caller caller)
    {
        if (_first is null)
        {
            _first = caller;
        }
        else
        {
            _last!.NextInBatch = caller;
        }

        _last = caller;
    }

    /// <summary>Removes and returns the next one.</summary>
    public Caller? Take()
    {
        var caller = _first;
        if (caller is not null)
        {
            _first = caller.NextInBatch;
            caller.NextInBatch = null;
        }

        return caller;
    }

    /// <summary>What a waiting caller needs to be in this list, whatever it waits for.</summary>
    internal abstract class Caller
    {
        /// <summary>The next in a batch.</summary>
        public Caller? NextInBatch { get; set; }

        /// <summary>Notifies the caller that the outcome is decided. Never runs the caller's code on this stack.</summary>
        public abstract void Wake();
    }
}
