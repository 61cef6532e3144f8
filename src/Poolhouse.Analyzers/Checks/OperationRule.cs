using Microsoft.CodeAnalysis;

namespace Poolhouse.Analyzers.Checks;

/// <summary>A rule that checks one operation and its surroundings, not paths.</summary>
internal abstract class OperationRule
{
    public static readonly OperationRule[] All =
    {
        new RentDropped(), new LeaseMembers(), new BlockingRent(), new LeaseAroundAwait(), new PoolForOneRent(),
        new LengthAssumed(),
        new ReturnedArrays(), new StreamCopied(), new PolicyHooks(),
    };

    public abstract void Check(BodyContext body, IOperation operation);
}
