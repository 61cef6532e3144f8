namespace Poolhouse;

/// <summary>
/// The base of a pool of your own that leases its items as the pools of this library do: a lease ends once, and a second return
/// or a late use is detected.
/// </summary>
/// <typeparam name="T">The type of the items.</typeparam>
/// <remarks>
/// <para>
/// Call <see cref="Add"/> once for each item that the pool creates, keep the result instead of the item, and call
/// <see cref="BeginLease"/> for a caller. When the lease ends, one of <see cref="OnReturned"/>, <see cref="OnDiscarded"/> and
/// <see cref="OnDetached"/> is called, once, on the stack of the caller that ended it. From then on the item may be leased again.
/// </para>
/// <para>
/// Which items exist, which of them is leased next and how callers wait is up to the derived class. All members are thread safe.
/// </para>
/// </remarks>
public abstract class LeaseSource<T>
    where T : notnull
{
    private readonly Owner _owner;
    private long _doubleReturns;

    /// <summary>Creates a source of leases.</summary>
    /// <param name="name">The name of the pool in messages; <see cref="PoolNames.For"/> makes one.</param>
    /// <exception cref="ArgumentException"><paramref name="name"/> is null or blank.</exception>
    protected LeaseSource(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        Name = name;
        _owner = new Owner(this);
    }

    /// <summary>The name of the pool in messages.</summary>
    public string Name { get; }

    /// <summary>How often a lease was ended that had ended already.</summary>
    protected long DoubleReturns => Volatile.Read(ref _doubleReturns);

    /// <summary>Adds an item that can be leased from now on.</summary>
    /// <param name="item">The item; add each item once.</param>
    /// <returns>The item with the state of its leases.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="item"/> is null.</exception>
    protected LeasableItem<T> Add(T item)
    {
        ArgumentNullException.ThrowIfNull(item);
        return new LeasableItem<T>(item, this, _owner);
    }

    /// <summary>Starts a lease of an item.</summary>
    /// <param name="item">The item, not leased at present.</param>
    /// <returns>The lease. Its end is reported to this object.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="item"/> is null.</exception>
    /// <exception cref="ArgumentException">The item was added to another object.</exception>
    /// <exception cref="InvalidOperationException">The item is leased already, possibly by another thread that leased it
    /// concurrently.</exception>
    protected Lease<T> BeginLease(LeasableItem<T> item)
    {
        ArgumentNullException.ThrowIfNull(item);
        if (item.Source != this)
        {
            throw new ArgumentException("The item belongs to another lease source.", nameof(item));
        }

        return item.Slot.TryBeginLease(out var lease)
            ? lease
            : throw new InvalidOperationException(
                "The item is already leased. Take an item out of your pool before you lease it.");
    }

    /// <summary>Finds the item of a lease, so that the pool can offer operations on the leases of its callers.</summary>
    /// <param name="lease">A lease that a caller passes.</param>
    /// <returns>The item; null if the lease has ended.</returns>
    /// <exception cref="ArgumentException">The lease belongs to another pool.</exception>
    /// <remarks>
    /// For an operation such as <c>Invalidate(lease)</c>. Another thread may end the lease at any time afterwards.
    /// </remarks>
    protected LeasableItem<T>? FindItem(Lease<T> lease)
    {
        if (lease.Slot is { } slot && slot.Owner != _owner)
        {
            throw new ArgumentException($"The lease belongs to pool '{slot.Owner.Name}', not to pool '{Name}'.", nameof(lease));
        }

        return lease.IsActive ? LeasableItem<T>.Of(lease.Slot!) : null;
    }

    /// <summary>Called when a lease has ended and its item can be leased again.</summary>
    /// <param name="item">The item.</param>
    /// <param name="isTainted">Whether the caller tainted the lease: the item is then to be destroyed, unless it is known to be
    /// clean.</param>
    /// <remarks>An exception reaches the caller that ended the lease.</remarks>
    protected abstract void OnReturned(LeasableItem<T> item, bool isTainted);

    /// <summary>Called when a lease has ended and its item is to be destroyed instead of reused.</summary>
    /// <param name="item">The item.</param>
    /// <remarks>An exception reaches the caller that ended the lease.</remarks>
    protected abstract void OnDiscarded(LeasableItem<T> item);

    /// <summary>Called when a lease has ended and its item belongs to the caller from now on.</summary>
    /// <param name="item">The item: neither lease nor destroy it.</param>
    /// <remarks>An exception reaches the caller that ended the lease.</remarks>
    protected abstract void OnDetached(LeasableItem<T> item);

    /// <summary>Returns the information that <see cref="Lease{T}.Info"/> shows.</summary>
    /// <param name="item">The item, leased.</param>
    /// <returns>The number of its uses, unless overridden; no times and no number.</returns>
    protected virtual LeaseInfo GetInfo(LeasableItem<T> item)
    {
        ArgumentNullException.ThrowIfNull(item);
        return new LeaseInfo(item.Uses, Age: TimeSpan.Zero, IdleTime: TimeSpan.Zero);
    }

    /// <summary>Forwards the calls of leases. A separate class, so that the interface is not part of the public type.</summary>
    private sealed class Owner(LeaseSource<T> source) : ILeaseOwner<T>
    {
        public string Name => source.Name;

        public LeaseInfo GetInfo(LeaseSlot<T> slot) => source.GetInfo(LeasableItem<T>.Of(slot));

        public void Return(LeaseSlot<T> slot) => source.OnReturned(LeasableItem<T>.Of(slot), slot.WasTainted);

        public void Discard(LeaseSlot<T> slot) => source.OnDiscarded(LeasableItem<T>.Of(slot));

        public void Detach(LeaseSlot<T> slot) => source.OnDetached(LeasableItem<T>.Of(slot));

        public void CountDoubleReturn() => Interlocked.Increment(ref source._doubleReturns);
    }
}
