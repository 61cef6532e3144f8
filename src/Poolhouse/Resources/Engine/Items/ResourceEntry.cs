using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Engine.Items;

/// <summary>An item of a resource pool with its bookkeeping.</summary>
// Invariants
//   exactly one holder has the entry at any time: a hot cell or the list of the idle store, a lease, a work item, or a waiter
//   that was given it. Only the holder writes its fields, with two exceptions: fields marked "under the gate", and ExpiresAt
//   with its reason. A clear, and a suspicion that the item is broken, change these two under the gate although another thread
//   holds the entry.
//   while the item is marked stale, ExpiresAt is Stale, so that the comparison that every rent and return makes anyway
//   sends it through the gate, and the true expiry is stored separately. The mark is removed under the gate, when the item is
//   validated or returned.
//   the entry is in the core's registry from its creation until its slot is released
internal sealed class ResourceEntry<T>(T item, ILeaseOwner<T> owner, long createdAt, int generation)
    : TracedSlot<T>(item, owner, createdAt)
    where T : notnull
{
    // Used instead of an expiry; earlier than any time.
    private const long Stale = PoolClock.Past - 1;

    // Entries are created one after the other and used by different threads: without a gap they would share cache lines.
#pragma warning disable CS0169, CA1823, IDE0051 // Never used: it only takes up space.
    private readonly Gap _gap;
#pragma warning restore CS0169, CA1823, IDE0051
    private long _expiresAt = PoolClock.Never;
    private long _expiryWhileStale = PoolClock.Never;

    /// <summary>
    /// The number of the item in its pool, from 1 in the order of creation. Set under the gate, before the entry is offered.
    /// </summary>
    public long Number { get; set; }

    public override long? ItemNumber => Number;

    /// <summary>The number of clears before the creation began, which distinguishes old items from new ones.</summary>
    public int Generation { get; } = generation;

    /// <summary>The time from which the item must not be rented without a check: it has expired, or it is stale.</summary>
    public long ExpiresAt
    {
        get => Volatile.Read(ref _expiresAt);
        set => Volatile.Write(ref _expiresAt, value);
    }

    /// <summary>The time from which the item must not be rented any more, stale or not.</summary>
    public long Expiry => ExpiresAt is var at and not Stale ? at : Volatile.Read(ref _expiryWhileStale);

    /// <summary>Whether the item must be validated before it is rented, however recently it was used.</summary>
    public bool IsStale => ExpiresAt == Stale;

    /// <summary>The reason for which the item will be destroyed when it expires.</summary>
    public DestroyReason ExpiryReason { get; set; } = DestroyReason.Lifetime;

    /// <summary>The reason for which the item is destroyed when its lease is discarded.</summary>
    public DestroyReason DiscardReason { get; set; } = DestroyReason.Discarded;

    /// <summary>When the item was last returned or created; used by trimming.</summary>
    public long IdleSince { get; set; } = createdAt;

    /// <summary>When the item was last known to work: returned, validated, or kept alive.</summary>
    public long FreshSince { get; set; } = createdAt;

    /// <summary>How long the item was idle before the current lease.</summary>
    public long IdleBefore { get; private set; }

    /// <summary>
    /// How often the item was handed over without a plan; the counters of the pool have the other waits. Under the gate.
    /// </summary>
    // Counted here, because the returning thread uses the entry anyway.
    public long Waits { get; set; }

    /// <summary>How long the callers waited for these hand-overs. Under the gate.</summary>
    public long WaitTicks { get; set; }

    /// <summary>The operation of the pool on the entry, if neither idle nor leased. Under the gate.</summary>
    public EntryState State { get; set; }

    /// <summary>
    /// Whether a validation or keep-alive is in progress, whose success shows that the item works. Under the gate.
    /// </summary>
    public bool IsBeingValidated => State is EntryState.Validating or EntryState.KeepingAlive;

    /// <summary>
    /// Whether the item was last marked stale while it was being validated: the answer may be older than the reason for the mark.
    /// Under the gate.
    /// </summary>
    public bool BecameStaleDuringValidation { get; private set; }

    /// <summary>When the validation or reset of the entry started. Under the gate.</summary>
    public long CheckedSince { get; set; }

    /// <summary>Whether that has taken too long for callers to rely on. Under the gate.</summary>
    public bool IsSlow { get; set; }

    /// <summary>Neighbours in the idle list. Under the gate.</summary>
    public ResourceEntry<T>? Newer { get; set; }

    public ResourceEntry<T>? Older { get; set; }

    /// <summary>Whether the entry is in the idle list. Under the gate.</summary>
    public bool IsListed { get; set; }

    /// <summary>The next in a batch of actions.</summary>
    public ResourceEntry<T>? NextInBatch { get; set; }

    /// <summary>The index in the registry. Under the gate.</summary>
    public int Index { get; set; }

    /// <summary>The work item that validates, resets and keeps the item alive; one at a time, so one object is enough.</summary>
    public ItemCall<T>? Work { get; set; }

    /// <summary>Called by the holder when the item is given to a caller.</summary>
    public void BeginUse(long now)
    {
        IdleBefore = now - IdleSince;
        RentedAt = now;
    }

    /// <summary>Called by the thread that ended the lease.</summary>
    /// <returns>How long the lease lasted.</returns>
    public long EndUse(long now)
    {
        IdleSince = now;
        FreshSince = now;
        return CountUse(now);
    }

    /// <summary>Brings the time of expiry forward; a stale entry stays stale. Under the gate.</summary>
    /// <returns>False if the entry expires sooner, or is being destroyed.</returns>
    public bool TryExpire(long at, DestroyReason reason)
    {
        if (at >= Expiry || State == EntryState.Destroying)
        {
            return false;
        }

        ExpiryReason = reason;
        if (IsStale)
        {
            Volatile.Write(ref _expiryWhileStale, at);
        }
        else
        {
            ExpiresAt = at;
        }

        return true;
    }

    /// <summary>Requires validation before the next rent. Under the gate.</summary>
    public void MarkStale()
    {
        BecameStaleDuringValidation = IsBeingValidated;
        if (!IsStale)
        {
            Volatile.Write(ref _expiryWhileStale, ExpiresAt);
            ExpiresAt = Stale;
        }
    }

    /// <summary>
    /// Restores the time of expiry from before the mark, because the entry is about to become idle or to be given to a caller.
    /// Under the gate.
    /// </summary>
    /// <returns>Whether the item was marked and has not been validated since.</returns>
    public bool ClearStale()
    {
        if (!IsStale)
        {
            return false;
        }

        ExpiresAt = Expiry;
        if (IsBeingValidated && !BecameStaleDuringValidation)
        {
            return false;
        }

        FreshSince = PoolClock.Past;
        return true;
    }

    /// <summary>Called by the holder when the policy has replaced the item.</summary>
    public void Renew(T item) => Item = item;

    /// <summary>
    /// Called when the slot is released: a lease that is still referenced does not keep the item alive (I26).
    /// </summary>
    public void Forget()
    {
        Item = default!;
        Work = null;
    }

    [System.Runtime.CompilerServices.InlineArray(16)]
    private struct Gap
    {
        private long _first;
    }
}
