using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Poolhouse.Analyzers.Checks;

/// <summary>PH1007: the result of Detach is discarded. PH1008: a member of a default lease.</summary>
internal sealed class LeaseMembers : OperationRule
{
    public override void Check(BodyContext body, IOperation operation)
    {
        switch (operation)
        {
            case IInvocationOperation
            {
                TargetMethod.Name: "Detach" or "DetachBuffer",
                Parent: IExpressionStatementOperation,
            } call
                when Detaches(body, call) && !IsItemHeld(body, call):
                body.Report(Rules.DetachedItemDropped, call.Syntax, call.TargetMethod.Name);
                break;
            case IPropertyReferenceOperation
            {
                Instance: IDefaultValueOperation or IObjectCreationOperation { Arguments.IsEmpty: true },
            } property
                when body.Apis.IsLease(property.Instance.Type)
                    && !string.Equals(property.Property.Name, "IsActive", StringComparison.Ordinal):
                body.Report(Rules.DefaultLease, property.Syntax, property.Property.Name);
                break;
        }
    }

    // A lease in a field may have its item in another one.
    private static bool Detaches(BodyContext body, IInvocationOperation call) =>
        call.Instance is ILocalReferenceOperation or IInvocationOperation or IAwaitOperation && call.Instance.Type is { } type
        && (body.Apis.IsLease(type) || body.Apis.IsBufferWriter(type) || body.Apis.IsPooledStream(type));

    // The item was taken out of the lease before, so that it is not lost.
    private static bool IsItemHeld(BodyContext body, IInvocationOperation call) =>
        call.Instance is ILocalReferenceOperation { Local: var lease }
            && body.Root.Descendants().OfType<IPropertyReferenceOperation>().Any(
            property => property.Property.Name is "Value" or "Segment" or "Memory"
            && property.Instance is ILocalReferenceOperation { Local: var other }
            && SymbolEqualityComparer.Default.Equals(lease, other)
            && property.Parent is not (IInvocationOperation or IPropertyReferenceOperation or IFieldReferenceOperation));
}
