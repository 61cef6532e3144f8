using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel.Leases;

/// <summary>An item and the version that says which lease of it is the current one. Made once an item, never once a rent.</summary>
// Invariants
//   the version is odd while the item is leased and even while it is not
//   whoever takes the slot out of the pool owns it and begins a lease; the CAS in TryEnd is the only end, so it has one winner (I12)
internal class LeaseSlot<T>(T item, ILeaseOwner<T> owner, LeaseSlotStore? home, long createdAt)
{
    private long _version;

    // The version of the newest lease that was tainted.
    private long _tainted;

    public T Item { get; private protected set; } = item;

    public ILeaseOwner<T> Owner { get; } = owner;

    /// <summary>Where the slot may go back to without asking the owner; null when the owner wants to see each return.</summary>
    public LeaseSlotStore? Home { get; } = home;

    /// <summary>A timestamp of the pool's clock.</summary>
    public long CreatedAt { get; } = createdAt;

    /// <summary>An object that lives and dies with the slot: a memory owner that is used again.</summary>
    public object? Companion { get; set; }

    /// <summary>How often the item was leased.</summary>
    public long Uses => (Volatile.Read(ref _version) + 1) / 2;

    public bool IsLeased => (Volatile.Read(ref _version) & 1) != 0;

    /// <summary>For the winner of the end: whether the lease that it ended was tainted.</summary>
    public bool WasTainted
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _tainted) == _version - 1;
    }

    /// <summary>For the one that took the slot out of the pool.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Lease<T> BeginLease()
    {
        var version = _version + 1;
        Volatile.Write(ref _version, version);
        return new Lease<T>(this, version);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsCurrent(long version) => Volatile.Read(ref _version) == version;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryEnd(long version) => Interlocked.CompareExchange(ref _version, version + 1, version) == version;

    /// <summary>Marks one lease; a mark that comes after its end never reaches the next lease (I9).</summary>
    public void Taint(long version)
    {
        var newest = Volatile.Read(ref _tainted);
        while (newest < version)
        {
            var seen = Interlocked.CompareExchange(ref _tainted, version, newest);
            if (seen == newest)
            {
                return;
            }

            newest = seen;
        }
    }
}
