using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Kernel.Leases;

/// <summary>An item and the version that identifies its current lease. Created once per item, never per rent.</summary>
// Invariants
//   the version is odd while the item is leased and even while it is not
//   the thread that takes the slot out of the pool owns it and starts a lease; only one caller ends it (I12): as long as all
//   leases of the slot's store end on the threads that began them, that thread, and otherwise the one whose CAS succeeds
internal class LeaseSlot<T>(T item, ILeaseOwner<T> owner, LeaseSlotStore? home, long createdAt)
{
    private long _version;

    // The number of the thread that began the lease, if the slot has a home. Written before the version and read after it: if the
    // version is that of a lease, so is the thread.
    private int _thread;

    // The version of the newest lease that was tainted.
    private long _tainted;

    public T Item { get; private protected set; } = item;

    public ILeaseOwner<T> Owner { get; } = owner;

    /// <summary>
    /// The store to which the slot may return without calling the owner; null if the owner must handle each return.
    /// </summary>
    public LeaseSlotStore? Home { get; } = home;

    /// <summary>A timestamp of the pool's clock.</summary>
    public long CreatedAt { get; } = createdAt;

    /// <summary>An object with the same lifetime as the slot, such as a memory owner that is reused.</summary>
    public object? Companion { get; set; }

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

    /// <summary>For the thread that took the slot out of a cache.</summary>
    /// <param name="thread">The number of the current thread.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Lease<T> BeginLease(int thread)
    {
        _thread = thread;
        return BeginLease();
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

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsCurrent(long version) => Volatile.Read(ref _version) == version;

    /// <summary>
    /// Ends a lease on the thread that began it, and returns the slot to the thread's stack. Returns false, and does neither, if
    /// that is not possible.
    /// </summary>
    // The push comes first, because it may fail. No other thread sees the stack before the busy section has ended.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReturnHere(long version)
    {
        if (Home is not { LeasesEndOnTheirThreads: true } home || home.FindStack() is not { } own)
        {
            return false;
        }

        own.BeginBusy();
        if (home.LeasesEndOnTheirThreads && IsCurrent(version) && _thread == ThreadIndex.Current
            && Volatile.Read(ref _tainted) != version && own.TryPushWhileBusy(this))
        {
            Volatile.Write(ref _version, version + 1);
            own.EndBusy();
            return true;
        }

        own.EndBusy();
        return false;
    }

    /// <summary>Ends a lease on any thread.</summary>
    /// <returns>False if it has ended before.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryEnd(long version)
    {
        PrepareForThisThread(version);
        return Interlocked.CompareExchange(ref _version, version + 1, version) == version;
    }

    /// <summary>Ends a lease on any thread, and returns the slot to its home or counts a double return.</summary>
    /// <returns>Whether the owner must take the slot back.</returns>
    public bool TryEndForOwner(long version)
    {
        if (!TryEnd(version))
        {
            Owner.CountDoubleReturn();
            return false;
        }

        return Home is not { } home || WasTainted || home.FindStack() is not { } stack || !stack.TryPush(this);
    }

    /// <summary>Marks one lease; a mark set after its end never affects the next lease (I9).</summary>
    public void Taint(long version)
    {
        PrepareForThisThread(version);
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

    /// <summary>
    /// Called before a thread ends or taints a lease: if another one may have begun it, that one must not end it by plain stores.
    /// </summary>
    // Also if the slot seems not to be leased yet: the lease may be a copy that reached this thread without synchronization.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void PrepareForThisThread(long version)
    {
        if (Home is { LeasesEndAnywhere: false } home && Version is var seen
            && (seen < version || (seen == version && _thread != ThreadIndex.Current)))
        {
            home.LetLeasesEndAnywhere();
        }
    }
}
