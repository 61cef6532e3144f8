using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>PH1009: a second item of a pool that makes callers wait is rented while the first one is held.</summary>
internal sealed class NestedRent : FlowRule
{
    public override void Rented(FlowPoint point, Item item, IOperation operation)
    {
        if (item.Kind != ItemKind.Lease
            || item.Rents.FirstOrDefault(rent => operation.Syntax.Span.Contains(rent.Syntax.Span)) is not { } rent
            || rent.TargetMethod.ContainingType.GetMembers("RentAsync").IsEmpty || PoolOf(rent) is not { } pool)
        {
            return;
        }

        var held = point.Analysis.Variables.Items.Any(other => !ReferenceEquals(other, item) && other.Kind == ItemKind.Lease
            && point.Of(other) == ItemState.Held && other.Rents.Count > 0
            && other.Rents.All(first => SymbolEqualityComparer.Default.Equals(PoolOf(first), pool)));
        if (held)
        {
            point.Report(Rules.NestedRent, rent, pool.Name);
        }
    }

    // Rents with different keys take items of different pools, and callers of a shared pool have items in common.
    private static ISymbol? PoolOf(IInvocationOperation rent) =>
        rent.TargetMethod.ContainingType.Name is "KeyedResourcePool" or "KeyedNestedResourcePool" or "SharedResourcePool"
        ? null
        : rent.Instance switch
        {
            IFieldReferenceOperation { Instance: null or IInstanceReferenceOperation } field => field.Field,
            ILocalReferenceOperation local => local.Local,
            IParameterReferenceOperation parameter => parameter.Parameter,
            IPropertyReferenceOperation { Instance: null or IInstanceReferenceOperation } property => property.Property,
            _ => null,
        };
}
