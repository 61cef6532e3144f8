using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;

namespace Poolhouse.Resources.Engine.Capacity;

/// <summary>The capacity that the pools of all keys share, and who gets the next place of it.</summary>
// The rule (max-min fairness, D. Bertsekas and R. Gallager, Data Networks, 1987)
//   a place that is free goes to the pool that holds the fewest of those that want one for a caller; among equals, in turn. What no
//   caller wants goes to upkeep (minimums, warm-ups) by the same rule
//   while a pool wants one for a caller, the others give up what they do not use; what they use they give up as it comes back, if they
//   hold more than an equal share of all places; and if even that leaves a pool with nothing, whoever has waited longest goes first
//   nothing is given up while no caller wants anything, so keys that do not compete keep what they have; and minimums that do not fit
//   together cannot take places from each other for ever
// Invariants
//   free + the places held by all members = total
//   what a member wants is a state of its pool: every plan of the core writes it, so nothing is given up for a caller that has left
//   while a place is free and wanted, somebody is inside Release: it asks until the place is taken or nobody wants it
//   yields under way never exceed the members that wanted a place for a caller, so one missing place costs one item and not one per return
// Locks: one gate, taken inside the gates of the pools; pools are called outside it.
internal sealed class SharedCapacity<T>
    where T : notnull
{
    private readonly Gate _gate = new();
    private readonly List<Member> _members = [];
    private readonly LinkedList<Member> _callers = new();
    private readonly LinkedList<Member> _upkeep = new();
    private readonly int _total;
    private int _free;
    private int _yielding;
    private long _lastRefused;

    public SharedCapacity(int total)
    {
        _total = total;
        _free = total;
    }

    public int Total => _total;

    public Member Join()
    {
        var member = new Member(this);
        using (_gate.Enter())
        {
            _members.Add(member);
        }

        return member;
    }

    /// <summary>For a member that holds nothing and whose pool is closed.</summary>
    public void Leave(Member member)
    {
        using (_gate.Enter())
        {
            _members.Remove(member);
            Forget(member);
        }

        OfferFree();
    }

    private bool TryTake(Member member, long now, bool forCaller)
    {
        var wanting = forCaller ? _callers : _upkeep;
        using (_gate.Enter())
        {
            if (_free > 0 && (forCaller || IsWantedOnlyBy(member)) && (MostStarvedExcept(member, wanting) is not { } other || IsBefore(member, other)))
            {
                _free--;
                member.Held++;
                Forget(member);
                return true;
            }

            if (member.Refusal.List != wanting)
            {
                Forget(member);
                member.RefusedAt = now;
                member.RefusedAs = ++_lastRefused;
                wanting.AddLast(member.Refusal);
                member.Want = forCaller ? CapacityWant.Caller : CapacityWant.Upkeep;
            }

            return false;
        }
    }

    private void WithdrawWant(Member member)
    {
        using (_gate.Enter())
        {
            Forget(member);
        }
    }

    private static void Forget(Member member)
    {
        if (member.Refusal.List is { } wanting)
        {
            wanting.Remove(member.Refusal);
            member.Want = CapacityWant.None;
        }
    }

    private bool ShouldYield(Member member, long oldestWait)
    {
        using (_gate.Enter())
        {
            var others = _callers.Count - (member.Want == CapacityWant.Caller ? 1 : 0);
            if (_yielding + _free >= others || MostStarvedExcept(member, _callers) is not { } neediest)
            {
                return false;
            }

            var yields = oldestWait == PoolClock.Never
                || member.Held > EqualShare()
                || (neediest.Held == 0 && neediest.RefusedAt < oldestWait);
            _yielding += yields ? 1 : 0;
            return yields;
        }
    }

    private void Release(Member member, int places, int yielded)
    {
        using (_gate.Enter())
        {
            _free += places;
            member.Held -= places;
            _yielding -= yielded;
        }

        OfferFree();

        // Whoever held fewer may have taken what was given up for another: who still wants presses again.
        while (NextStarved() is { } next)
        {
            next.PlanAgain();
            if (next.Want == CapacityWant.Caller)
            {
                break;
            }
        }
    }

    /// <summary>Each pool that is asked takes the place or forgoes it, unless a needier one has come: that is asked next.</summary>
    private void OfferFree()
    {
        while (NextToReclaimFrom() is { } next)
        {
            next.PlanAgain();
        }
    }

    private void RequestReclaim(Member member)
    {
        // Until an item is on its way or none is idle. While this one counted as being given up, others kept theirs on account of
        // it: so when it was rented in the last moment, those are looked for.
        while (Coldest(member) is { } coldest && TryBeginYield())
        {
            if (coldest.Core!.RetireIdle(1, DestroyReason.Evicted, coldest.Clock!.Coarse) > 0)
            {
                return;
            }

            using (_gate.Enter())
            {
                _yielding--;
            }
        }
    }

    private Member? Coldest(Member member)
    {
        Member? coldest = null;
        var since = PoolClock.Never;
        foreach (var other in OthersOf(member))
        {
            var idleSince = other.Core?.OldestIdle() ?? PoolClock.Never;
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
            if (_yielding + _free >= _callers.Count)
            {
                return false;
            }

            _yielding++;
            return true;
        }
    }

    private bool IsWantedOnlyBy(Member member) => _callers.Count == (member.Want == CapacityWant.Caller ? 1 : 0);

    /// <summary>Of those that want a place, the one that holds the fewest; among equals the one refused first.</summary>
    // Under gates of pools, so without an allocation.
    private static Member? MostStarvedExcept(Member? member, LinkedList<Member> wanting)
    {
        Member? neediest = null;
        foreach (var refused in wanting)
        {
            if (refused != member && (neediest is null || refused.Held < neediest.Held))
            {
                neediest = refused;
            }
        }

        return neediest;
    }

    private static bool IsBefore(Member member, Member other) =>
        member.Held < other.Held || (member.Held == other.Held && member.Refusal.List == other.Refusal.List && member.RefusedAs < other.RefusedAs);

    private Member? NextToReclaimFrom()
    {
        using (_gate.Enter())
        {
            return _free > 0 ? MostStarvedExcept(member: null, _callers) ?? MostStarvedExcept(member: null, _upkeep) : null;
        }
    }

    /// <summary>The neediest of those that want a place for a caller, if places are neither free nor being given up for all of them.</summary>
    private Member? NextStarved()
    {
        using (_gate.Enter())
        {
            return _yielding + _free < _callers.Count ? MostStarvedExcept(member: null, _callers) : null;
        }
    }

    private Member[] OthersOf(Member member)
    {
        using (_gate.Enter())
        {
            return [.. _members.Where(other => other != member)];
        }
    }

    /// <summary>An equal part for each member that holds places or wants one for a caller; at least one.</summary>
    private int EqualShare()
    {
        var competing = 0;
        foreach (var member in _members)
        {
            competing += member.Held > 0 || member.Want == CapacityWant.Caller ? 1 : 0;
        }

        return Math.Max(1, _total / Math.Max(1, competing));
    }

    /// <summary>One pool's part.</summary>
    public sealed class Member : ISharedCapacity
    {
        private readonly SharedCapacity<T> _budget;

        public Member(SharedCapacity<T> budget)
        {
            _budget = budget;
            Refusal = new LinkedListNode<Member>(this);
        }

        public ResourceCore<T>? Core { get; private set; }

        public PoolClock? Clock { get; private set; }

        public int Held { get; set; }

        public CapacityWant Want { get; set; }

        /// <summary>What stands in the list of those that want a place; in no list while it wants none.</summary>
        public LinkedListNode<Member> Refusal { get; }

        public long RefusedAt { get; set; }

        /// <summary>
        /// Its number among the refused. Their times are no order: each pool reads a clock of its own, and not under the gate.
        /// </summary>
        public long RefusedAs { get; set; }

        /// <summary>Names the pool that this is a part of, before the first place is taken.</summary>
        public void Attach(ResourceCore<T> core, PoolClock clock) => (Core, Clock) = (core, clock);

        public void PlanAgain() => Core!.Reconsider(Clock!.Coarse);

        public bool TryTake(long now, bool forCaller) => _budget.TryTake(this, now, forCaller);

        public void WithdrawWant() => _budget.WithdrawWant(this);

        public bool ShouldYield(long oldestWait) => _budget.ShouldYield(this, oldestWait);

        public void Release(int places, int yielded) => _budget.Release(this, places, yielded);

        public void RequestReclaim() => _budget.RequestReclaim(this);
    }
}
