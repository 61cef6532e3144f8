namespace Poolhouse.Samples.NativeAot;

/// <summary>A budget that allows one item and remembers what was wanted.</summary>
internal sealed class OwnBudget : PoolBudget
{
    private int _wanted;

    public override int Limit => 1;

    public int Wanted => Volatile.Read(ref _wanted);

    protected override void Report(BudgetDemand demand) => Volatile.Write(ref _wanted, demand.Wanted);
}
