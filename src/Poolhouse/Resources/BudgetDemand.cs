namespace Poolhouse;

/// <summary>What the pools of a <see cref="PoolBudget"/> in this process hold and want together at one moment.</summary>
/// <param name="Leased">Leased items.</param>
/// <param name="Waiting">Waiting callers; in each pool, at most as many as its <paramref name="Maximum"/> could serve.</param>
/// <param name="Live">All items: leased, idle, or being created, validated, reset or destroyed.</param>
/// <param name="Maximum">
/// The sum of <see cref="ResourcePoolOptions.MaxSize"/>; zero once the last pool was disposed or drained and is empty.
/// </param>
public readonly record struct BudgetDemand(int Leased, int Waiting, int Live, int Maximum)
{
    /// <summary>The number of items in use if nobody had to wait: <see cref="Leased"/> and <see cref="Waiting"/>.</summary>
    public int Wanted => Leased + Waiting;

    internal BudgetDemand Plus(BudgetDemand other) =>
        new(Leased + other.Leased, Waiting + other.Waiting, Live + other.Live, Maximum + other.Maximum);
}
