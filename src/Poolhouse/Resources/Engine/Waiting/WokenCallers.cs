namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>Callers whose outcome is decided and who are to be woken after the gate has been left, in this order.</summary>
// Allocates nothing: the waiters are chained by their own links.
internal struct WokenCallers<TGrant>
    where TGrant : class
{
    private Waiter<TGrant>? _first;
    private Waiter<TGrant>? _last;

    public void Add(Waiter<TGrant> waiter)
    {
        if (_first is null)
        {
            _first = waiter;
        }
        else
        {
            _last!.NextInBatch = waiter;
        }

        _last = waiter;
    }

    /// <summary>Removes and returns the next one.</summary>
    public Waiter<TGrant>? Take()
    {
        var waiter = _first;
        if (waiter is not null)
        {
            _first = waiter.NextInBatch;
            waiter.NextInBatch = null;
        }

        return waiter;
    }
}
