namespace Poolhouse.Resources;

/// <summary>The places that the pools of all keys share, and who gets the next one.</summary>
// The rule (max-min fairness, D. Bertsekas and R. Gallager, Data Networks, 1987)
//   a place that is free goes to the pool that holds the fewest of those that were refused one; among equals, in turn
//   while a pool is refused, the others give up what they do not use; what they use they give up as it comes back, if they
//   hold more than an equal share of all places; and if even that leaves a pool with nothing, whoever has waited longest goes first
//   nothing is given up while nobody is refused, so keys that do not compete keep what they have; and only callers that wait make
//   others give up, never a MinIdle, so minimums that do not fit together cannot take places from each other for ever
// Invariants
//   free + the places held by all members = total
//   yields under way never exceed the members refused, so one missing place costs one item and not one per return
// Locks: one gate, taken inside the gates of the pools; pools are called outside it.
internal sealed class PlaceBudget<T>
    where T : notnull
{
    private readonly Lock _gate = new();
    private readonly List<Member> _members = [];
    private readonly LinkedList<Member> _refused = new();
    private readonly int _total;
    private int _free;
    private int _yielding;
    private long _lastRefused;

    public PlaceBudget(int total)
    {
        _total = total;
        _free = total;
    }

    public Member Join()
    {
        var member = new Member(this);
        lock (_gate)
        {
            _members.Add(member);
        }

        return member;
    }

    public void Leave(Member member)
    {
        lock (_gate)
        {
            _members.Remove(member);
            Forget(member);
        }
    }

    private void Forget(Member member)
    {
        if (member.Refusal is { } refusal)
        {
            _refused.Remove(refusal);
            member.Refusal = null;
        }
    }

    private bool TryTake(Member member, long now, bool forCaller)
    {
        lock (_gate)
        {
            if (_free > 0 && (NeediestBut(member) is not { } other || IsBefore(member, other)))
            {
                _free--;
                member.Held++;
                Forget(member);
                return true;
            }

            if (forCaller)
            {
                member.Refusals++;
                if (member.Refusal is null)
                {
                    member.RefusedAt = now;
                    member.RefusedAs = ++_lastRefused;
                    member.Refusal = _refused.AddLast(member);
                }
            }

            return false;
        }
    }

    private bool ShouldYield(Member member, long oldestWait)
    {
        lock (_gate)
        {
            var others = _refused.Count - (member.Refusal is null ? 0 : 1);
            if (_yielding + _free >= others || NeediestBut(member) is not { } neediest)
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
        lock (_gate)
        {
            _free += places;
            member.Held -= places;
            _yielding -= yielded;
        }

        // The refused are asked one after the other; who takes is refused no longer, and who does not want any more is forgotten.
        // One that was refused once more since it was chosen does want: a caller may have come after it was asked, when the place
        // was gone.
        while (NextRefused() is (var next, var refusals))
        {
            AskAgain(next, refusals);
        }

        // Whoever held fewer may have taken what was given up for another; who still wants presses again.
        while (NextShort() is (var next, var refusals) && !AskAgain(next, refusals))
        {
        }
    }

    /// <returns>Whether it still lacks a place.</returns>
    private bool AskAgain(Member member, long refusals)
    {
        member.Core!.PlanAgain(member.Clock!.Coarse);
        lock (_gate)
        {
            if (member.Refusals == refusals)
            {
                Forget(member);
            }

            return member.Refusal is not null;
        }
    }

    private void Press(Member member)
    {
        // Until an item is on its way or none is idle. While this one counted as being given up, others kept theirs on account of
        // it: so when it was rented in the last moment, those are looked for.
        while (Coldest(member) is { } coldest && TryBeginYield())
        {
            if (coldest.Core!.RetireIdle(1, DestroyReason.Evicted, coldest.Clock!.Coarse) > 0)
            {
                return;
            }

            lock (_gate)
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
        lock (_gate)
        {
            if (_yielding + _free >= _refused.Count)
            {
                return false;
            }

            _yielding++;
            return true;
        }
    }

    /// <summary>Of the refused, the one that holds the fewest places; among equals the one refused first.</summary>
    private Member? NeediestBut(Member? member) => _refused.Where(refused => refused != member).MinBy(refused => refused.Held);

    private static bool IsBefore(Member member, Member other) =>
        member.Held < other.Held || (member.Held == other.Held && member.Refusal is not null && member.RefusedAs < other.RefusedAs);

    private (Member Member, long Refusals)? NextRefused()
    {
        lock (_gate)
        {
            return _free > 0 && NeediestBut(member: null) is { } next ? (next, next.Refusals) : null;
        }
    }

    /// <summary>The neediest of the refused, if places are neither free nor being given up for all of them.</summary>
    private (Member Member, long Refusals)? NextShort()
    {
        lock (_gate)
        {
            return _yielding + _free < _refused.Count && NeediestBut(member: null) is { } next ? (next, next.Refusals) : null;
        }
    }

    private Member[] OthersOf(Member member)
    {
        lock (_gate)
        {
            return [.. _members.Where(other => other != member)];
        }
    }

    /// <summary>An equal part for each member that holds or wants places; at least one.</summary>
    private int EqualShare()
    {
        var competing = _members.Count(member => member.Held > 0 || member.Refusal is not null);
        return Math.Max(1, _total / Math.Max(1, competing));
    }

    /// <summary>One pool's part.</summary>
    public sealed class Member(PlaceBudget<T> budget) : IPlaceBudget
    {
        public ResourceCore<T>? Core { get; private set; }

        public PoolClock? Clock { get; private set; }

        public int Held { get; set; }

        public LinkedListNode<Member>? Refusal { get; set; }

        public long RefusedAt { get; set; }

        /// <summary>
        /// Its number among the refused. Their times are no order: each pool reads a clock of its own, and not under the gate.
        /// </summary>
        public long RefusedAs { get; set; }

        /// <summary>How often it was refused a place for a caller.</summary>
        public long Refusals { get; set; }

        /// <summary>Names the pool that this is a part of, before the first place is taken.</summary>
        public void Attach(ResourceCore<T> core, PoolClock clock) => (Core, Clock) = (core, clock);

        public bool TryTake(long now, bool forCaller) => budget.TryTake(this, now, forCaller);

        public bool ShouldYield(long oldestWait) => budget.ShouldYield(this, oldestWait);

        public void Release(int places, int yielded) => budget.Release(this, places, yielded);

        public void Press() => budget.Press(this);
    }
}
