using Microsoft.CodeAnalysis;

namespace Poolhouse.Analyzers.Flow;

/// <summary>
/// A rule that listens to what happens to items along the paths of a body. All calls come after the states have settled.
/// </summary>
internal abstract class FlowRule
{
    /// <summary>An item is returned, or its lease is ended.</summary>
    public virtual void Ended(FlowPoint point, Item item, IOperation operation)
    {
    }

    /// <summary>An item, or a part of it, is used.</summary>
    public virtual void Used(FlowPoint point, Reference reference, IOperation operation)
    {
    }

    /// <summary>A part of a leased item is given to the Return of a pool.</summary>
    public virtual void HandedBack(FlowPoint point, Reference reference, IOperation operation)
    {
    }

    /// <summary>
    /// An item, or a part of it, is assigned to a target that is not followed: a field, a property, an element.
    /// </summary>
    public virtual void Stored(FlowPoint point, Reference reference, IOperation target, IOperation value)
    {
    }

    /// <summary>A value is returned to the caller; the state after is that when the method has been left.</summary>
    public virtual void Left(FlowPoint point, IOperation value, ItemState[] after)
    {
    }

    /// <summary>An item is rented into a variable.</summary>
    public virtual void Rented(FlowPoint point, Item item, IOperation operation)
    {
    }

    /// <summary>The whole body has been seen.</summary>
    public virtual void Completed(FlowAnalysis analysis)
    {
    }
}
