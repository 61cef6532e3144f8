namespace Poolhouse;

/// <summary>Which idle item a resource pool rents first.</summary>
public enum IdleOrder
{
    /// <summary>
    /// The one returned last: few items stay warm and what is surplus ages out. With several threads each prefers what it returned last
    /// itself, so the order is exact for one thread and close to it for many.
    /// </summary>
    Lifo,

    /// <summary>The one that has been idle longest: all items are used evenly, and none ages out while there is traffic.</summary>
    Fifo,
}
