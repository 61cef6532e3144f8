using Microsoft.CodeAnalysis;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>PH1011: the item of a lease is returned by hand while the lease is active.</summary>
internal sealed class ReturnedUnderLease : FlowRule
{
    public override void HandedBack(FlowPoint point, Reference reference, IOperation operation)
    {
        if (point.Of(reference.Item) == ItemState.Held && reference.Item.Kind is ItemKind.Lease or ItemKind.BufferLease)
        {
            point.Report(Rules.ReturnedUnderLease, operation);
        }
    }
}
