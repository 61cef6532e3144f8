
namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>A pool with one bug: in its options, in its policy, or around it.</summary>
internal sealed class WrongContract(WrongVariant variant) : ResourcePoolContract
{
    protected override ContractPool CreatePool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options)
    {
        variant.Options?.Invoke(options);
        policy = variant.Policy?.Invoke(policy) ?? policy;
        var pool = ContractPool.Over(new ResourcePool<ContractItem>(variant.IsLate ? new LatePolicy(policy) : policy, options));
        return variant.Pool?.Invoke(pool) ?? pool;
    }
}

/// <summary>One bug, and the check of the contract that must find it.</summary>
internal sealed record WrongVariant(string Bug, string Check)
{
    public Action<ResourcePoolOptions>? Options { get; init; }

    public Func<ResourcePolicy<ContractItem>, ResourcePolicy<ContractItem>>? Policy { get; init; }

    /// <summary>Whether every hook takes effect later than a check waits for what must not happen.</summary>
    public bool IsLate { get; init; }

    public Func<ContractPool, ContractPool>? Pool { get; init; }

    /// <summary>How the check rents.</summary>
    public RentWay Way { get; init; }
}
