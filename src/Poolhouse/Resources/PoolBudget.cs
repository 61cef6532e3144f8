using Poolhouse.Resources.Engine.Capacity;

namespace Poolhouse;

/// <summary>
/// A limit that several pools have in common, often those of several processes: the sessions of a database role, the connections
/// that a server accepts.
/// </summary>
/// <remarks>
/// <para>
/// Set it as <see cref="ResourcePoolOptions.Budget"/>. Together, the pools of this process have at most <see cref="Limit"/>
/// items, each at most its own <see cref="ResourcePoolOptions.MaxSize"/>. They share the limit as <see cref="Share"/> does, and
/// idle items are given up for pools whose callers wait.
/// </para>
/// <para>
/// Derive from this class for another kind of limit. All members may be called from several threads at once, never under a lock
/// of a pool; they should not block. Exceptions of <see cref="Report"/> and <see cref="Refused"/> are ignored; one of
/// <see cref="TryBegin"/> counts as false. Rents and returns never call a budget.
/// </para>
/// </remarks>
// Invariants
//   the items of all pools never exceed the largest of Limit and what they held when it became smaller: a pool is allowed more
//   only after the others are known to hold, and to be allowed, correspondingly less
// Locks: one gate, outside the gates of the pools; settings are applied outside it, because a pool has its own lock for that
public abstract class PoolBudget
{
    private readonly Gate _gate = new();
    private readonly List<BudgetMember> _members = [];

    /// <summary>The maximum number of items of this process. Read often: return a field.</summary>
    /// <remarks>After a change, call <see cref="OnLimitChanged"/>. A negative number counts as zero.</remarks>
    public abstract int Limit { get; }

    /// <summary>Creates a budget that never changes: an equal share for a known number of processes.</summary>
    /// <param name="places">What all processes may hold together; at least 1.</param>
    /// <param name="instances">The number of processes; 1 by default, at most <paramref name="places"/>.</param>
    /// <returns>The budget. Its limit is the quotient, rounded down.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of range.</exception>
    public static PoolBudget Fixed(int places, int instances = 1)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(places);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(instances);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(instances, places);
        return new FixedBudget(places / instances);
    }

    /// <summary>
    /// Computes how many items each member of a fleet may hold. Members that compute it from the same list agree without talking
    /// to each other.
    /// </summary>
    /// <param name="room">How many items can be added before the common limit is reached; negative if it is exceeded.</param>
    /// <param name="members">What each member holds and wants, in an order that is the same for all.</param>
    /// <returns>The limit of each member.</returns>
    /// <remarks>
    /// Max-min fair: what each wants, as far as none gets less than another that gets more than it (D. Bertsekas and R. Gallager,
    /// <i>Data Networks</i>, 1987). What is left keeps the items that members hold without need, by the same rule. Members above
    /// their part give way. The others grow only by their part of the room that exists, also of room that nobody needs yet.
    /// </remarks>
    public static int[] Share(int room, ReadOnlySpan<(int Held, int Wanted)> members) =>
        FairShare.LimitsOf(room, members.ToArray());

    /// <summary>Whether an item may be created now; called before each creation within <see cref="Limit"/>.</summary>
    /// <returns>
    /// True unless overridden. After false, callers wait as they do if the server has no room, and the pool asks again after 250
    /// milliseconds, then less and less often, and when the limit grows.
    /// </returns>
    protected internal virtual bool TryBegin() => true;

    /// <summary>
    /// Called when an item could not be created because there was no room (<see cref="ResourcePolicy{T}.LacksRoom"/>), although
    /// the limit allowed it. Does nothing unless overridden.
    /// </summary>
    /// <param name="failure">The exception of the creation.</param>
    protected internal virtual void Refused(Exception failure)
    {
    }

    /// <summary>
    /// Reports what the pools of this process hold and want. Called when a pool is created, five times a second as long as there
    /// is one, and when one has ended.
    /// </summary>
    /// <param name="demand">The current numbers of all pools together.</param>
    protected internal abstract void Report(BudgetDemand demand);

    /// <summary>
    /// Applies <see cref="Limit"/> after it has changed or was confirmed: a pool that was refused may try again at once. Do not
    /// call it under a lock.
    /// </summary>
    protected void OnLimitChanged() => Divide(isNews: true);

    internal void Join(BudgetMember member)
    {
        using (_gate.Enter())
        {
            _members.Add(member);
        }

        Update();
    }

    internal void Leave(BudgetMember member)
    {
        bool wasMember;
        using (_gate.Enter())
        {
            wasMember = _members.Remove(member);
        }

        if (wasMember)
        {
            Update();
        }
    }

    /// <summary>Divides the limit by the current demand, and reports the demand.</summary>
    /// <returns>The number of pools.</returns>
    internal int Update()
    {
        Divide(isNews: false);
        var members = ListMembers();
        var demand = members.Aggregate(default(BudgetDemand), static (sum, member) => sum.Plus(member.ReadDemand()));
        UserCode.Notify(this, demand, static (budget, demand) => budget.Report(demand));
        return members.Length;
    }

    private BudgetMember[] ListMembers()
    {
        using (_gate.Enter())
        {
            // Pools that were neither disposed nor are in use any more.
            _members.RemoveAll(static member => !member.IsAlive);
            return [.. _members];
        }
    }

    // What some pools give up, others may have as soon as it is applied: in the second pass.
    private void Divide(bool isNews)
    {
        for (var pass = 0; pass < 2; pass++)
        {
            var limit = Math.Max(0, Limit);
            using (_gate.Enter())
            {
                BudgetMember.Allow(_members, limit);
            }

            foreach (var member in ListMembers())
            {
                member.Apply(isNews);
            }
        }
    }

    private sealed class FixedBudget(int limit) : PoolBudget
    {
        public override int Limit { get; } = limit;

        protected internal override void Report(BudgetDemand demand)
        {
        }
    }
}
