using Poolhouse.Resources.Engine.Core;

namespace Poolhouse.Resources.Engine.Capacity;

/// <summary>The capacity that the pools of all keys share, and the rule by which its slots are assigned.</summary>
// The rule (max-min fairness, D. Bertsekas and R. Gallager, Data Networks, 1987)
//   a free slot is assigned to the pool that holds the fewest slots among those that want one for a caller; among equals, in
//   turn. Slots that no caller wants go to upkeep (minimums, warm-ups) by the same rule
//   while a pool wants a slot for a caller, the others give up unused items; used ones they give up as they are returned, if they
//   hold more than an equal share of all slots; and if even that leaves a pool with nothing, the caller that has waited longest
//   comes first
//   nothing is given up while no caller wants a slot, so keys that do not compete keep their slots; and minimums that do not fit
//   together cannot keep taking slots from each other
//   after the capacity was made smaller, idle items are given up first, the coldest before the others, and then those that are
//   returned
//   a creation that has a slot may lack room elsewhere: on the parents of a nested pool. If a caller relies on it, another pool
//   gives up an unused item for it as for a missing slot; a used one as it is returned, if the caller's pool has no item and the
//   caller has waited longer than those who want the returned one
// Invariants
//   free + the slots held by all members = total; free is negative while more is held than a smaller capacity allows
//   what a member wants is a state of its pool: every plan of the core writes it, so nothing is given up for a caller that has
//   left
//   while a slot is free and wanted, a thread is inside Release: it keeps offering until the slot is taken or no longer wanted
//   yields in progress never exceed the members that wanted a slot for a caller, plus the slots by which free is negative, plus
//   the creations without room, so one missing slot costs one item and not one per return
//   _isMissing says whether fewer items are being given up than are needed. It is written in each section that changes one of
//   these numbers, and when the parents report that more creations may lack room. A return makes its item idle without a lock and
//   then reads it; the thread that set it then searches the pools for idle items, each under its gate. A full fence is between
//   the two steps of each, so one sees the other
// Locks: one gate, taken inside the gates of the pools; pools are called outside it. The gate of the parents' item set, a leaf
//   lock, is taken under it to count the creations without room.
internal sealed class SharedCapacity<T>
    where T : notnull
{
    private readonly Gate _gate = new();
    private readonly List<Member> _members = [];
    private readonly IntrusiveList<Member> _callers = new();
    private readonly IntrusiveList<Member> _upkeep = new();
    private int _total;
    private int _free;
    private int _yielding;
    private long _lastRefusalNumber;
    private bool _isMissing;
    private int _relying;
    private Func<int>? _countWithoutRoom;

    // How often slots began to be missing: it tells one shortage from the next.
    private int _shortages;

    public SharedCapacity(int total)
    {
        _total = total;
        _free = total;
    }

    /// <summary>The number of slots.</summary>
    public int Total => Volatile.Read(ref _total);

    public Member Join()
    {
        var member = new Member(this);
        using (_gate.Enter())
        {
            _members.Add(member);
        }

        return member;
    }

    /// <summary>Changes the number of slots. Slots beyond a smaller number are given up as their items become idle.</summary>
    public void Resize(int total)
    {
        using (_gate.Enter())
        {
            _free += total - _total;
            _total = total;
            UpdateIsMissingLocked();
        }

        OfferFree();
        ReclaimIdle(except: null);
    }

    /// <summary>Has items given up also for creations that have a slot and lack room elsewhere.</summary>
    /// <param name="countWithoutRoom">Counts these creations; called under the gates of pools.</param>
    /// <returns>To be called when the number may have become larger, under no lock.</returns>
    public Action LimitBy(Func<int> countWithoutRoom)
    {
        _countWithoutRoom = countWithoutRoom;
        return OnRoomChanged;
    }

    /// <summary>Removes a member that holds nothing and whose pool is closed.</summary>
    public void Leave(Member member)
    {
        using (_gate.Enter())
        {
            _members.Remove(member);
            _relying -= member.Relying;
            ForgetLocked(member);
            UpdateIsMissingLocked();
        }

        OfferFree();
    }

    private bool TryTake(Member member, long now, bool forCaller)
    {
        var wanting = forCaller ? _callers : _upkeep;
        using (_gate.Enter())
        {
            if (_free > 0 && (forCaller || IsWantedOnlyByLocked(member))
                && (MostStarvedExceptLocked(member, wanting) is not { } other || IsBeforeLocked(member, other)))
            {
                _free--;
                member.Held++;
                ForgetLocked(member);
                UpdateIsMissingLocked();
                return true;
            }

            if (member.List != wanting)
            {
                ForgetLocked(member);
                member.RefusedAt = now;
                member.RefusalNumber = ++_lastRefusalNumber;
                wanting.AddLast(member);
                member.Want = forCaller ? CapacityWant.Caller : CapacityWant.Upkeep;
                UpdateIsMissingLocked();
            }

            return false;
        }
    }

    private void WithdrawWant(Member member)
    {
        using (_gate.Enter())
        {
            ForgetLocked(member);
            UpdateIsMissingLocked();
        }
    }

    private void UpdateIsMissingLocked()
    {
        // Written only when it changes: the threads of all pools read it at each return.
        var isMissing = _yielding < NeededLocked();
        if (_isMissing != isMissing)
        {
            Volatile.Write(ref _shortages, _shortages + (isMissing ? 1 : 0));
            Volatile.Write(ref _isMissing, isMissing);
        }
    }

    /// <summary>The number of items that must be given up for callers, including those that are being given up.</summary>
    private int NeededLocked() => Math.Max(0, _callers.Count - _free) + WithoutRoomLocked(_relying);

    /// <summary>The number of creations without room, at most as many as callers rely on.</summary>
    private int WithoutRoomLocked(int relying) =>
        relying > 0 && _countWithoutRoom is { } count ? Math.Min(count(), relying) : 0;

    private void OnRoomChanged()
    {
        using (_gate.Enter())
        {
            UpdateIsMissingLocked();
        }

        if (Volatile.Read(ref _isMissing))
        {
            ReclaimIdle(except: null);
        }
    }

    private void SetRelying(Member member, int relying, long now)
    {
        using (_gate.Enter())
        {
            _relying += relying - member.Relying;
            member.RelyingSince = member.Relying > 0 ? member.RelyingSince : now;
            member.Relying = relying;
            UpdateIsMissingLocked();
        }
    }

    private static void ForgetLocked(Member member)
    {
        if (member.List is { } wanting)
        {
            wanting.Remove(member);
            member.Want = CapacityWant.None;
        }
    }

    private bool ShouldYield(Member member, long oldestWait)
    {
        using (_gate.Enter())
        {
            if (_yielding + _free < 0)
            {
                // The capacity was made smaller: whichever item is available first is given up.
                _yielding++;
                UpdateIsMissingLocked();
                return true;
            }

            var others = _callers.Count - (member.Want == CapacityWant.Caller ? 1 : 0);
            var withoutRoom = WithoutRoomLocked(_relying - member.Relying);
            var yields = _yielding < Math.Max(0, others - _free) + withoutRoom
                && (oldestWait == PoolClock.Never
                    || (others > 0 && member.Held > EqualShareLocked())
                    || HasNothingLocked(member, oldestWait, withoutRoom > 0));
            _yielding += yields ? 1 : 0;
            UpdateIsMissingLocked();
            return yields;
        }
    }

    private void Release(Member member, int slots, int yielded)
    {
        using (_gate.Enter())
        {
            _free += slots;
            member.Held -= slots;
            _yielding -= yielded;
            UpdateIsMissingLocked();
        }

        OfferFree();

        // A pool that held fewer may have taken what was given up for another one: repeat while a pool still wants a slot.
        while (NextStarved() is { } next)
        {
            next.Plan();
            if (next.Want == CapacityWant.Caller)
            {
                break;
            }
        }
    }

    /// <summary>
    /// Offers free slots. Each pool takes the offered slot or declines it, unless a needier pool has appeared, which then gets
    /// the next offer.
    /// </summary>
    private void OfferFree()
    {
        while (NextToOffer() is { } next)
        {
            next.Plan();
        }
    }

    /// <summary>
    /// Evicts the coldest idle items: one item of the other members for a member that wants a slot, or else as many as are
    /// missing.
    /// </summary>
    private void ReclaimIdle(Member? except)
    {
        // Repeat until enough items are being given up or none is idle. While this item counted as being given up, other pools
        // kept theirs because of it: so if it was rented at the last moment, the search continues.
        while (true)
        {
            // Read before the search: the return of an item during the same shortage gives it up, so no later search is needed.
            var shortage = Volatile.Read(ref _shortages);
            if (Coldest(except) is not { } coldest)
            {
                except?.FoundNoneIdle(shortage);
                return;
            }

            if (!TryBeginYield())
            {
                return;
            }

            if (coldest.Core!.Operators.DestroyIdle(1, DestroyReason.Evicted, coldest.Clock!.Coarse) == 0)
            {
                EndYield();
            }
            else if (except is not null)
            {
                // The member needs only one slot.
                return;
            }
        }
    }

    private Member? Coldest(Member? except)
    {
        Member? coldest = null;
        var since = PoolClock.Never;
        foreach (var other in OthersOf(except))
        {
            var idleSince = other.Core?.Operators.OldestIdle() ?? PoolClock.Never;
            if (idleSince < since)
            {
                (coldest, since) = (other, idleSince);
            }
        }

        return coldest;
    }

    private bool TryBeginYield()
    {
        using (_gate.Enter())
        {
            if (_yielding >= NeededLocked())
            {
                return false;
            }

            _yielding++;
            UpdateIsMissingLocked();
            return true;
        }
    }

    private void EndYield()
    {
        using (_gate.Enter())
        {
            _yielding--;
            UpdateIsMissingLocked();
        }
    }

    private bool IsWantedOnlyByLocked(Member member) => _callers.Count == (member.Want == CapacityWant.Caller ? 1 : 0);

    /// <summary>
    /// Returns the member that holds the fewest slots among those that want one; among equals, the one refused first.
    /// </summary>
    // Runs under gates of pools, so it must not allocate.
    private static Member? MostStarvedExceptLocked(Member? member, IntrusiveList<Member> wanting)
    {
        Member? neediest = null;
        for (var refused = wanting.First; refused is not null; refused = refused.Next)
        {
            if (refused != member && (neediest is null || refused.Held < neediest.Held))
            {
                neediest = refused;
            }
        }

        return neediest;
    }

    /// <summary>Whether another member has no item, and one of its callers has waited longer.</summary>
    private bool HasNothingLocked(Member member, long oldestWait, bool isRoomMissing)
    {
        if (MostStarvedExceptLocked(member, _callers) is { Held: 0 } neediest && neediest.RefusedAt < oldestWait)
        {
            return true;
        }

        if (isRoomMissing)
        {
            // Without a delegate: this runs under gates of pools, so it must not allocate.
            foreach (var other in _members)
            {
                if (other != member
                    && other.Relying > 0 && other.Held == other.Relying && other.RelyingSince < oldestWait)
                {
                    return true;
                }
            }
        }

        return false;
    }

    private static bool IsBeforeLocked(Member member, Member other) =>
        member.Held < other.Held
            || (member.Held == other.Held && member.List == other.List && member.RefusalNumber < other.RefusalNumber);

    private Member? NextToOffer()
    {
        using (_gate.Enter())
        {
            return _free > 0
                ? MostStarvedExceptLocked(member: null, _callers) ?? MostStarvedExceptLocked(member: null, _upkeep)
                : null;
        }
    }

    /// <summary>
    /// Returns the neediest member that wants a slot for a caller, unless enough slots are free or being given up for all of
    /// them.
    /// </summary>
    private Member? NextStarved()
    {
        using (_gate.Enter())
        {
            return _yielding + _free < _callers.Count ? MostStarvedExceptLocked(member: null, _callers) : null;
        }
    }

    private Member[] OthersOf(Member? member)
    {
        using (_gate.Enter())
        {
            return [.. _members.Where(other => other != member)];
        }
    }

    /// <summary>An equal share for each member that holds slots or wants one for a caller; at least one.</summary>
    private int EqualShareLocked()
    {
        var competing = 0;
        foreach (var member in _members)
        {
            competing += member.Held > 0 || member.Want == CapacityWant.Caller ? 1 : 0;
        }

        return Math.Max(1, _total / Math.Max(1, competing));
    }

    /// <summary>The share of one pool; it is in the list of those that want a slot, and in no list while it wants none.</summary>
    public sealed class Member(SharedCapacity<T> capacity) : IntrusiveList<Member>.Node
    {
        private int _searchedIn = -1;

        public ResourceCore<T>? Core { get; private set; }

        public PoolClock? Clock { get; private set; }

        public int Held { get; set; }

        /// <summary>Whether the pool was refused capacity and still wants it. Written under the pool's gate only.</summary>
        public CapacityWant Want { get; set; }

        /// <summary>The number of slots of all pools together. Read without a lock.</summary>
        public int Total => capacity.Total;

        /// <summary>
        /// Whether slots are missing: fewer are free or being given up than are wanted for callers, or than must be given up for
        /// a smaller capacity or for creations without room. Read without a lock: set before the pools are searched for idle
        /// items, each under its gate.
        /// </summary>
        public bool IsMissing => Volatile.Read(ref capacity._isMissing);

        /// <summary>Whether all pools together hold more slots than a smaller capacity allows. Read without a lock.</summary>
        public bool IsExceeded => Volatile.Read(ref capacity._free) < 0;

        /// <summary>
        /// Whether this pool wants a slot for a caller, slots are missing, and no other pool had an idle item when this one
        /// searched them: so an item must be returned or destroyed first. Under the pool's gate.
        /// </summary>
        public bool IsExhausted =>
            Want == CapacityWant.Caller && IsMissing && Volatile.Read(ref _searchedIn) == Volatile.Read(ref capacity._shortages);

        /// <summary>The number of creations in progress on which callers rely. Written under the pool's gate only.</summary>
        public int Relying { get; set; }

        /// <summary>Since when callers rely on creations, while they do.</summary>
        public long RelyingSince { get; set; }

        public long RefusedAt { get; set; }

        /// <summary>
        /// The member's sequence number among the refused ones. Times define no order: each pool reads its own clock, and not
        /// under the gate.
        /// </summary>
        public long RefusalNumber { get; set; }

        /// <summary>Sets the pool of this member, before the first slot is taken.</summary>
        public void Attach(ResourceCore<T> core, PoolClock clock) => (Core, Clock) = (core, clock);

        public void Plan() => Core!.Plan(Clock!.Coarse);

        /// <summary>Takes a slot, or records that the pool wants one. Under the pool's gate: must not call a pool.</summary>
        /// <param name="now">The time.</param>
        /// <param name="forCaller">
        /// Whether a caller waits for it: callers take precedence over upkeep, and other pools give up idle items for them.
        /// </param>
        public bool TryTake(long now, bool forCaller) => capacity.TryTake(this, now, forCaller);

        /// <summary>Records that the pool no longer wants a slot. Under the pool's gate: must not call a pool.</summary>
        public void WithdrawWant() => capacity.WithdrawWant(this);

        /// <summary>Sets <see cref="Relying"/>. Under the pool's gate: must not call a pool.</summary>
        public void SetRelying(int relying, long now) => capacity.SetRelying(this, relying, now);

        /// <summary>
        /// Whether a pool should give up an item that has just become free, because another pool needs the slot more.
        /// </summary>
        /// <remarks>Under the pool's gate: must not call a pool. Returns true once for each missing slot.</remarks>
        /// <param name="oldestWait">
        /// When the caller that would get the item arrived; <see cref="PoolClock.Never"/> if no caller waits for it.
        /// </param>
        public bool ShouldYield(long oldestWait) => capacity.ShouldYield(this, oldestWait);

        /// <summary>
        /// Returns slots, some of them because the pool yielded, and offers free slots. Outside the gate: may call any pool.
        /// </summary>
        public void Release(int slots, int yielded) => capacity.Release(this, slots, yielded);

        /// <summary>
        /// Searches other pools for an idle item after a slot was wanted but not available. Outside the gate: may call any pool.
        /// </summary>
        public void RequestReclaim() => capacity.ReclaimIdle(except: this);

        /// <summary>Records that in this shortage no other pool had an idle item for this one.</summary>
        public void FoundNoneIdle(int shortage) => Volatile.Write(ref _searchedIn, shortage);
    }
}
