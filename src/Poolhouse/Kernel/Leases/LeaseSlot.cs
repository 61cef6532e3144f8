using System.Runtime.CompilerServices;
using Poolhouse.Caching;

namespace Poolhouse.Kernel.Leases;

/// <summary>An item and the version that identifies its current lease. Created once per item, never per rent.</summary>
// Invariants
//   the version is odd while the item is leased and even while it is not
//   the thread that takes the slot out of the pool owns it and starts a lease; the CAS in TryEnd is the only way to end it, so
//   only one caller succeeds (I12)
internal class LeaseSlot<T>(T item, ILeaseOwner<T>? owner, long createdAt)
{
    private readonly ILeaseOwner<T>? _owner = owner;
    private long _version;

    // The version of the newest lease that was tainted.
    private long _tainted;

    public T Item { get; private protected set; } = item;

    public ILeaseOwner<T> Owner => _owner ?? OwnerOfHome;

    /// <summary>
    /// Whether the owner must handle each return. Only a slot of a cache may return without its owner: to its home.
    /// </summary>
    public bool HasOwner
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _owner is not null;
    }

    /// <summary>A timestamp of the pool's clock.</summary>
    public long CreatedAt { get; } = createdAt;

    /// <summary>How often the item was leased.</summary>
    public long Uses => (Volatile.Read(ref _version) + 1) / 2;

    /// <summary>Odd while the item is leased; each lease has its own.</summary>
    public long Version => Volatile.Read(ref _version);

    public bool IsLeased => (Volatile.Read(ref _version) & 1) != 0;

    /// <summary>For the caller that ended the lease: whether that lease was tainted.</summary>
    public bool WasTainted
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _tainted) == _version - 1;
    }

    /// <summary>For the thread that took the slot out of the pool.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Lease<T> BeginLease()
    {
        var version = _version + 1;
        Volatile.Write(ref _version, version);
        return new Lease<T>(this, version);
    }

    /// <summary>
    /// For a pool of the user, of which several threads may try to lease the same item: only one of them succeeds.
    /// </summary>
    public bool TryBeginLease(out Lease<T> lease)
    {
        var ended = Volatile.Read(ref _version);
        var version = ended + 1;
        var begins = (ended & 1) == 0 && Interlocked.CompareExchange(ref _version, version, ended) == ended;
        lease = begins ? new Lease<T>(this, version) : default;
        return begins;
    }

    /// <summary>The pool of a slot that has a home.</summary>
    // Virtual: it is called by slow paths only.
    private protected virtual ILeaseOwner<T> OwnerOfHome => throw new InvalidOperationException();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsCurrent(long version) => Volatile.Read(ref _version) == version;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryEnd(long version) => Interlocked.CompareExchange(ref _version, version + 1, version) == version;

    /// <summary>Marks one lease; a mark set after its end never affects the next lease (I9).</summary>
    public void Taint(long version) => Maximum.Raise(ref _tainted, version);
}
