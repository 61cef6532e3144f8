using Poolhouse.Testing;

namespace Poolhouse.Contracts;

/// <summary>One way to check a kind of pool against the contract.</summary>
internal sealed record ContractCase(PoolKind Kind, RentWay Way, IdleOrder Order, bool CreatesSynchronously)
{
    public static IEnumerable<ContractCase> All =>
        from kind in Enum.GetValues<PoolKind>()
        from order in Enum.GetValues<IdleOrder>()
        where order == IdleOrder.Lifo || kind is not (PoolKind.SharedResourcePool or PoolKind.DelegatingPolicy)
        from way in Enum.GetValues<RentWay>()
        from synchronous in way == RentWay.Sync && kind != PoolKind.NestedResourcePool ? new[] { false, true } : [false]
        select new ContractCase(kind, way, order, synchronous);

    public ResourcePoolContract Contract =>
        new PoolContract(Kind) { Way = Way, IdleOrder = Order, CreatesSynchronously = CreatesSynchronously };

    public IEnumerable<ContractCheck> Checks =>
        Contract.Checks.Where(check => Kind != PoolKind.SharedResourcePool || !SharedExceptions.Names.Contains(check.Name));

    /// <summary>A new check of this name.</summary>
    public ContractCheck Find(string name) => Checks.Single(check => string.Equals(check.Name, name, StringComparison.Ordinal));

    public override string ToString()
    {
        var way = Way switch
        {
            RentWay.Sync when CreatesSynchronously => "sync with its own Create",
            RentWay.Sync => "sync",
            RentWay.TryFirst => "try first",
            _ => "async",
        };
        return $"{Kind}, {way}, {Order}";
    }
}
