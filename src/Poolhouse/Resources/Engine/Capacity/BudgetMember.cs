namespace Poolhouse.Resources.Engine.Capacity;

/// <summary>A pool with a <see cref="PoolBudget"/>.</summary>
// Invariants
//   the pool has at most as many items as the largest of Live, Allowed and Applied: a limit that is being applied counts before
//   and after
//   it is referred to weakly: a budget keeps no pool alive
internal sealed class BudgetMember(PoolBudget budget, IBudgetUser user) : IThreadPoolWorkItem
{
    private readonly WeakReference<IBudgetUser> _user = new(user);
    private BudgetDemand _demand;
    private int _allowed;
    private int _applied;
    private int _isRefused;
    private long _nextReport = long.MinValue;

    /// <summary>The limit that applies, or will apply next.</summary>
    public int Allowed => Volatile.Read(ref _allowed);

    public bool IsAlive => _user.TryGetTarget(out _);

    /// <summary>Divides a limit among the pools of a process. Under the gate of the budget.</summary>
    public static void Allow(List<BudgetMember> members, int limit)
    {
        members.ForEach(static member => member._demand = member.ReadDemand());

        // What nobody needs is divided too, so that a pool need not wait for the next report with its first callers.
        var parts = FairShare.PartsOf(limit, [.. members.Select(static member => (member._demand.Live, member._demand.Wanted))]);
        var spare = FairShare.Divide(
            limit - parts.Sum(), [.. members.Select((member, i) => member._demand.Maximum - parts[i])]);
        for (var i = 0; i < parts.Length; i++)
        {
            var others = members.Sum(static member => (long)member.Most) - members[i].Most;
            members[i].Allow(Math.Min(parts[i] + spare[i], (int)Math.Clamp(limit - others, 0, limit)));
        }
    }

    /// <summary>
    /// Applies the limit to the settings, unless it applies already. A pool that was refused may try again if there is news.
    /// </summary>
    public void Apply(bool isNews)
    {
        var mayTryAgain = isNews && Interlocked.Exchange(ref _isRefused, 0) != 0;
        if ((mayTryAgain || Volatile.Read(ref _applied) != Allowed) && _user.TryGetTarget(out var pool))
        {
            pool.ApplyBudget();
        }
    }

    /// <summary>Returns the limit to apply, which counts from now on. Under the lock of the pool's settings.</summary>
    public int BeginToApply()
    {
        var allowed = Allowed;
        Volatile.Write(ref _applied, Math.Max(_applied, allowed));
        return allowed;
    }

    /// <summary>Records that a limit applies. Under the lock of the pool's settings.</summary>
    public void Applied(int limit) => Volatile.Write(ref _applied, limit);

    public BudgetDemand ReadDemand() => _user.TryGetTarget(out var pool) ? pool.ReadDemand() : default;

    public void Join() => budget.Join(this);

    /// <summary>Leaves the budget, because the pool has ended.</summary>
    public void Execute() => budget.Leave(this);

    public bool TryBegin() => UserCode.CallHook(budget, this, static (budget, _) => budget.TryBegin(), ifItThrows: false);

    public void Refused(Exception failure)
    {
        Volatile.Write(ref _isRefused, 1);
        UserCode.Notify(budget, failure, static (budget, failure) => budget.Refused(failure));
    }

    /// <summary>Reports the demand of the pool if that is due. Called by its timer, under no lock.</summary>
    /// <returns>When the next report is due.</returns>
    public long Check(long now, long interval)
    {
        if (now >= _nextReport)
        {
            // Five reports a second for all pools of the budget together.
            _nextReport = now + (interval * budget.Update());
        }

        return _nextReport;
    }

    private int Most => Math.Max(_demand.Live, Math.Max(Allowed, Volatile.Read(ref _applied)));

    private void Allow(int limit) => Volatile.Write(ref _allowed, limit);
}
