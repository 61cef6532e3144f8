using Microsoft.CodeAnalysis;

namespace Poolhouse.Analyzers.Checks;

/// <summary>A rule that looks at one operation and what stands around it, not at paths.</summary>
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
