namespace Poolhouse.Tests;

/// <summary>A budget whose limit the test sets.</summary>
internal sealed class ManualBudget(int limit) : PoolBudget
{
    private int _limit = limit;

    public override int Limit => Volatile.Read(ref _limit);

    public Func<bool> Begins { get; set; } = static () => true;

    public List<Exception> Refusals { get; } = [];

    public List<BudgetDemand> Reports { get; } = [];

    public BudgetDemand Last => Reports[^1];

    public void Set(int limit)
    {
        Volatile.Write(ref _limit, limit);
        OnLimitChanged();
    }

    protected internal override bool TryBegin() => Begins();

    protected internal override void Refused(Exception failure) => Refusals.Add(failure);

    protected internal override void Report(BudgetDemand demand) => Reports.Add(demand);
}
