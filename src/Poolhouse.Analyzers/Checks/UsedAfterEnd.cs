using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>
/// PH1008: a lease is used where it is default on every path. PH1002, PH1012, PH2002, PH2010 and PH3003: an item, or a part of
/// it, is used where it has ended on every path.
/// </summary>
internal sealed class UsedAfterEnd : FlowRule
{
    public override void Used(FlowPoint point, Reference reference, IOperation operation)
    {
        var name = operation.Syntax.ToString();
        if (point.Of(reference.Item) == ItemState.Empty && operation is IPropertyReferenceOperation property
            && reference.Item.Kind is ItemKind.Lease or ItemKind.BufferLease)
        {
            point.Report(Rules.DefaultLease, operation, property.Property.Name);
        }

        if (!point.IsEnded(reference.Item))
        {
            return;
        }

        switch (reference.Item.Kind)
        {
            case ItemKind.Lease:
                point.Report(Rules.UsedAfterLease, operation, name);
                break;
            case ItemKind.BufferLease when operation is IPropertyReferenceOperation:
                point.Report(Rules.UsedAfterLease, operation, name);
                break;
            case ItemKind.BufferLease:
                point.Report(
                    Rules.BufferKept, operation,
                    $"'{name}' is used after the buffer lease has ended on every path that leads here");
                break;
            case ItemKind.Array or ItemKind.Object:
                point.Report(
                    Rules.UsedAfterReturn, operation, $"'{name}' is used after it was returned on every path that leads here");
                break;
            case ItemKind.MemoryOwner:
                point.Report(
                    Rules.MemoryOwner, operation, $"'{name}' is used after its owner was disposed on every path that leads here");
                break;
            case ItemKind.Stream:
                point.Report(
                    Rules.SequenceKept, operation,
                    $"'{name}' is used after the stream was disposed on every path that leads here");
                break;
        }
    }
}
