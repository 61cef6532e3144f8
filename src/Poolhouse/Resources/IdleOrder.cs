namespace Poolhouse;

/// <summary>Which idle item a resource pool rents first.</summary>
public enum IdleOrder
{
    /// <summary>
    /// The item returned last: few items stay warm, and surplus ones age out. With several threads, each thread prefers the item
    /// that it returned last itself, so the order is exact for one thread and approximate for many.
    /// </summary>
    Lifo,

    /// <summary>
    /// The item that has been idle longest: all items are used evenly, and none ages out while there is traffic.
    /// </summary>
    Fifo,
}
