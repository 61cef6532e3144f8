namespace Poolhouse.Resources.Engine.Capacity;

/// <summary>What a <see cref="PoolBudget"/> knows of a pool.</summary>
internal interface IBudgetUser
{
    BudgetDemand ReadDemand();

    /// <summary>Makes the pool follow a changed limit. Not under a lock.</summary>
    void ApplyBudget();
}
