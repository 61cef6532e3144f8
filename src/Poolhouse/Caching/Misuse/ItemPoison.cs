namespace Poolhouse.Caching.Misuse;

/// <summary>
/// Marks idle items so that a change is noticed. Thread safe; each item is passed by the one thread that has it.
/// </summary>
internal abstract class ItemPoison<T>
{
    /// <summary>Marks an item that goes into the pool.</summary>
    /// <returns>What <see cref="IsIntact"/> needs; not null.</returns>
    public abstract object Apply(T item);

    /// <summary>Whether an item that leaves the pool is as <see cref="Apply"/> left it.</summary>
    public abstract bool IsIntact(T item, object mark);
}
