using Microsoft.CodeAnalysis;

namespace Poolhouse.Analyzers.Flow;

/// <summary>
/// A rule that is notified of the events of items along the paths of a body, after all states have been computed.
/// </summary>
internal abstract class FlowRule
{
    /// <summary>Called when an item is returned, or its lease is ended.</summary>
    public virtual void Ended(FlowPoint point, Item item, IOperation operation)
    {
    }

    /// <summary>Called when an item, or a part of it, is used.</summary>
    public virtual void Used(FlowPoint point, Reference reference, IOperation operation)
    {
    }

    /// <summary>Called when a part of a leased item is passed to the Return of a pool.</summary>
    public virtual void HandedBack(FlowPoint point, Reference reference, IOperation operation)
    {
    }

    /// <summary>
    /// Called when an item, or a part of it, is assigned to a target that is not followed: a field, a property, an element.
    /// </summary>
    public virtual void Stored(FlowPoint point, Reference reference, IOperation target, IOperation value)
    {
    }

    /// <summary>Called when a value is returned to the caller; the state after is that at the end of the method.</summary>
    public virtual void Left(FlowPoint point, IOperation value, ItemState[] after)
    {
    }

    /// <summary>Called for each path on which the body ends normally, with the state there.</summary>
    public virtual void Exited(FlowAnalysis analysis, ItemState[] state)
    {
    }

    /// <summary>Called when an item is rented into a variable.</summary>
    public virtual void Rented(FlowPoint point, Item item, IOperation operation)
    {
    }

    /// <summary>Called at the end of the body.</summary>
    public virtual void Completed(FlowAnalysis analysis)
    {
    }
}
